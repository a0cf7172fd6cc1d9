import PlayheadCassette
import PlayheadHTTP
import PlayheadProxy
import Synchronization

/// The admin API without its sockets: a request in, a response out.
final class AdminService: Sendable {
    /// What serves one route.
    typealias Handler = @Sendable (AdminService, AdminRequest) async throws -> AdminResponse

    let context: AdminContext
    let gate: AdminGate
    let startedAt: Timestamp
    /// What tells this run of the program from others, in the ids of events.
    let run: String
    /// How many event streams are open.
    let streams = Atomic(0)
    private let ready = Atomic(false)

    /// Every route; read it as the table of contents of the API.
    static let router: Router<Handler> = {
        var router = Router<Handler>()
        router.on("GET", "/healthz") { service, _ in service.health() }
        router.on("GET", "/readyz") { service, _ in service.readiness() }
        router.on("GET", "/ca.pem") { service, _ in service.certificate() }
        router.on("GET", "/metrics") { service, _ in await service.metrics() }
        router.on("GET", "/api/v1/status") { service, _ in await service.status() }
        router.on("GET", "/api/v1/openapi.json") { _, _ in .text(OpenAPIDocument.text, type: "application/json") }
        AdminService.addSessionRoutes(to: &router)
        AdminService.addCassetteRoutes(to: &router)
        AdminService.addExchangeRoutes(to: &router)
        AdminService.addStagingRoutes(to: &router)
        return router
    }()

    init(_ context: AdminContext) {
        self.context = context
        self.gate = AdminGate(token: context.token, hosts: context.hosts, opensMetrics: context.opensMetrics)
        self.startedAt = context.clock()
        self.run = String(self.startedAt.milliseconds, radix: 36)
    }

    var isReady: Bool { self.ready.load(ordering: .acquiring) }

    func setReady(_ isReady: Bool) { self.ready.store(isReady, ordering: .releasing) }

    /// Answers a request that passed the gate.
    func answer(_ request: AdminRequest) async -> AdminResponse {
        guard let path = RoutePath(target: request.target) else {
            return .problem(400, "The path has a percent sign that is followed by no valid octets.")
        }
        switch Self.router.match(method: request.method, path: path) {
        case .notFound:
            return .problem(404, "There is nothing at this path.")
        case .methodNotAllowed(let allowed):
            var response = AdminResponse.problem(405, "This path takes \(allowed.joined(separator: ", ")).")
            response.headers.append(name: "Allow", value: allowed.joined(separator: ", "))
            return response
        case .found(let handler, let parameters):
            var request = request
            request.parameters = parameters
            do { return try await handler(self, request) } catch let error as AdminError {
                return .problem(error.status, error.detail)
            } catch {
                return .problem(500, "\(error)")
            }
        }
    }
}
