import PlayheadContent
import PlayheadEngine
import PlayheadProxy

extension AdminService {
    static func addStagingRoutes(to router: inout Router<Handler>) {
        router.on("GET", "/api/v1/mocks") { service, _ in service.mocks() }
        router.on("PUT", "/api/v1/mocks") { service, request in
            let rules = try Self.rules(request, "mocks") { try MockRule($0, in: $1) }
            service.context.server.staged.setMocks(rules)
            return service.mocks()
        }
        router.on("GET", "/api/v1/faults") { service, _ in service.faults() }
        router.on("PUT", "/api/v1/faults") { service, request in
            let rules = try Self.rules(request, "faults") { try FaultRule($0, in: $1) }
            service.context.server.staged.setFaults(rules)
            return service.faults()
        }
    }

    /// The rules of a body `{"mocks": […]}`: all are read before any is set.
    private static func rules<Rule>(
        _ request: AdminRequest, _ key: String, _ read: (JSONValue, String) throws -> Rule
    ) throws -> [Rule] {
        let fields = try JSONFields(try request.json(), known: [key])
        guard let items = try fields.array(key) else { throw AdminError(422, "\(key) is missing.") }
        guard items.count <= StagedRules.limit else {
            throw AdminError(422, "\(key) has at most \(StagedRules.limit) items.")
        }
        var rules: [Rule] = []
        for (index, item) in items.enumerated() { rules.append(try read(item, "\(key)[\(index)]")) }
        return rules
    }

    private func mocks() -> AdminResponse {
        let rules = self.context.server.staged.mocks
        return .json { writer in
            writer.member("mocks") { writer in
                writer.array { writer in
                    for counted in rules {
                        writer.object { writer in
                            counted.rule.write(to: &writer)
                            writer.member("hits", counted.hits)
                        }
                    }
                }
            }
        }
    }

    private func faults() -> AdminResponse {
        let rules = self.context.server.staged.faults
        return .json { writer in
            writer.member("faults") { writer in
                writer.array { writer in
                    for counted in rules {
                        writer.object { writer in
                            counted.rule.write(to: &writer)
                            writer.member("hits", counted.hits)
                        }
                    }
                }
            }
        }
    }
}
