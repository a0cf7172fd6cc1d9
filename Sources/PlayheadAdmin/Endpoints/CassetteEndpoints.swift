import NIOCore
import NIOPosix
import PlayheadCassette
import PlayheadEngine
import PlayheadHTTP
import PlayheadProxy

extension AdminService {
    static func addCassetteRoutes(to router: inout Router<Handler>) {
        router.on("GET", "/api/v1/cassettes") { service, _ in try await service.cassettes() }
        router.on("GET", "/api/v1/cassettes/{name}") { try await $0.cassette($1) }
        router.on("GET", "/api/v1/misses") { try $0.misses($1) }
        router.on("GET", "/api/v1/report") { try await $0.report($1) }
    }

    /// The cassettes in the folder.
    private func cassettes() async throws -> AdminResponse {
        let list = self.context.listCassettes
        let found: [CassetteLocation]
        do {
            found = try await NIOThreadPool.singleton.runIfActive { try list() }
        } catch {
            throw AdminError(500, "\(error)")
        }
        return .json { writer in
            writer.member("cassettes") { writer in
                writer.array { writer in
                    for location in found {
                        writer.object { writer in
                            writer.member("name", location.name.description)
                            writer.member("format", location.name.format.rawValue)
                            writer.member("file", location.file)
                        }
                    }
                }
            }
        }
    }

    /// One cassette as it lies on the disk, page by page; URLs are masked, bodies are left out.
    private func cassette(_ request: AdminRequest) async throws -> AdminResponse {
        let limit = try request.number("limit", in: 1...1000, default: 100)
        let after = try request.number("after", in: 0...Int(Int32.max), default: 0)
        let options = self.context.sessions.options
        guard let name = try? CassetteName.validated(request.parameters["name"]) else {
            throw AdminError(404, "No cassette has this name; GET /api/v1/cassettes lists them.")
        }
        let location = CassetteLocation(
            folder: options.location.folder, name: name, key: options.location.key)
        let cassette: Cassette?
        do {
            cassette = try await NIOThreadPool.singleton.runIfActive { try CassetteReader.read(location) }
        } catch let error as CassetteError {
            throw AdminError(409, error.description)
        }
        guard let cassette else {
            throw AdminError(404, "No cassette has this name; GET /api/v1/cassettes lists them.")
        }
        let page = cassette.exchanges.enumerated().dropFirst(after).prefix(limit)
        return .json { writer in
            writer.member("name", name.description)
            writer.member("recorded_with", options.redactor.maskText(cassette.recordedWith))
            writer.member("count", cassette.exchanges.count)
            writer.member("exchanges") { writer in
                writer.array { writer in
                    for (index, exchange) in page {
                        Self.write(exchange, number: index + 1, options.redactor, to: &writer)
                    }
                }
            }
            if after + page.count < cassette.exchanges.count { writer.member("next", after + page.count) }
        }
    }

    private static func write(
        _ exchange: Exchange, number: Int, _ redactor: Redactor, to writer: inout JSONWriter
    ) {
        writer.object { writer in
            writer.member("id", exchange.id)
            writer.member("number", number)
            writer.member("recorded_at", exchange.recordedAt.description)
            writer.member("method", exchange.request.method)
            writer.member("url", redactor.maskURL(exchange.request.url))
            writer.member("request_octets", exchange.request.body.count)
            switch exchange.outcome {
            case .response(let response):
                writer.member("status", response.status)
                writer.member("response_octets", response.body.count)
            case .failure(let failure):
                writer.member("failure", failure.kind.rawValue)
            case .webSocket: writer.member("status", 101)
            }
            writer.member("total_ms", exchange.timing.total)
        }
    }

    /// The misses of all sessions, or of one, oldest first; the last 1,000 of each session at most.
    private func misses(_ request: AdminRequest) throws -> AdminResponse {
        let wanted = request.query("session")
        let views = try wanted.map { [try self.view($0)] } ?? self.views
        return .json { writer in
            writer.member("misses") { writer in
                writer.array { writer in
                    for view in views {
                        for miss in RunReport(view.session.summary).misses {
                            writer.object { writer in
                                writer.member("session", view.id)
                                miss.writeMembers(to: &writer)
                            }
                        }
                    }
                }
            }
        }
    }

    /// What all sessions came to so far, those that ended included: what `playhead report` judges.
    private func report(_ request: AdminRequest) async throws -> AdminResponse {
        let sessions = self.context.sessions
        var report = sessions.report()
        let staged = self.context.server.staged.totals
        report.counts.append(RunReport.Count(name: "mocked", value: staged.mocked + staged.faulted))
        switch request.query("secrets") {
        case nil, "false"?: break
        case "true"?:
            do {
                let count = try await NIOThreadPool.singleton.runIfActive { try sessions.secretCount() }
                report.counts.append(RunReport.Count(name: "secrets", value: count))
            } catch let error as CassetteError {
                throw AdminError(409, error.description)
            }
        default: throw AdminError(400, "The query parameter secrets is true or false.")
        }
        return AdminResponse(type: "application/json", ByteBuffer(bytes: report.json()))
    }
}
