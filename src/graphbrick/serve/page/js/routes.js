// Every address of the server that the page uses. A test compares them with the routes that the server has.

export const ROUTES = {
  graphs: "/v1/graphs",
  graph: "/v1/graphs/{name}",
  recipes: "/v1/recipes",
  bricks: "/v1/bricks",
  check: "/v1/check",
  ask: "/v1/ask",
  retrieve: "/v1/retrieve",
  entities: "/v1/entities",
  entity: "/v1/entities/one",
  neighbours: "/v1/entities/neighbours",
};
