-- 16 bits of the event's name and distinct id: another event under its uuid is told by them.
ALTER TABLE events ADD COLUMN mark USMALLINT;
