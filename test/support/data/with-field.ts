/** The object with another value at a path such as `trendsFilter__formula`. */
export function withField(object: object, path: string, value: unknown): object {
  const [name = "", ...inner] = path.split("__");
  const own = (object as Record<string, object | undefined>)[name] ?? {};
  return {
    ...object,
    [name]: inner.length === 0 ? value : withField(own, inner.join("__"), value),
  };
}
