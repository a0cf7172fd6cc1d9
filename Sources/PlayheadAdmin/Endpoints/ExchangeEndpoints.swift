import NIOCore
import NIOPosix
import PlayheadCassette
import PlayheadContent
import PlayheadEngine
import PlayheadHTTP
import PlayheadProxy

extension AdminService {
    /// Bodies over this many octets are not sent; the error names their file.
    static let bodyLimit = 64 << 20

    static func addExchangeRoutes(to router: inout Router<Handler>) {
        router.on("GET", "/api/v1/exchanges") { try $0.exchanges($1) }
        router.on("GET", "/api/v1/exchanges/{number}") { service, request in
            let entry = try service.entry(request)
            return .json { ExchangeText(entry).writeDetails(to: &$0) }
        }
        router.on("GET", "/api/v1/exchanges/{number}/body/{side}") { try await $0.body($1) }
        router.on("GET", "/api/v1/events") { try $0.events($1) }
    }

    /// The log, which there is whenever there is an admin API.
    private func log() throws(AdminError) -> ExchangeLog {
        guard let log = self.context.sessions.options.log else { throw AdminError(503, "No exchanges are noted.") }
        return log
    }

    /// The exchanges of all sessions, oldest first, page by page.
    private func exchanges(_ request: AdminRequest) throws -> AdminResponse {
        let log = try self.log()
        let limit = try request.number("limit", in: 1...1000, default: 100)
        let after = try request.number("after", in: 0...Int(Int32.max), default: 0)
        let filter = try ExchangeFilter(request)
        let page = log.page(after: after, limit: limit + 1, where: filter.takes)
        let shown = page.entries.prefix(limit)
        return .json { writer in
            writer.member("first", page.first)
            writer.member("exchanges") { writer in
                writer.array { writer in
                    for entry in shown { writer.object { ExchangeText(entry).writeSummary(to: &$0) } }
                }
            }
            if page.entries.count > limit { writer.member("next", shown.last?.number) }
        }
    }

    private func entry(_ request: AdminRequest) throws -> ExchangeLog.Entry {
        let text = request.parameters["number"]
        guard let number = Int(text), number > 0, let entry = try self.log().entry(number) else {
            throw AdminError(
                404, "No exchange has this number, or it is no longer kept; GET /api/v1/exchanges lists them.")
        }
        return entry
    }

    /// The octets of a body as the cassette keeps them, with secrets masked.
    private func body(_ request: AdminRequest) async throws -> AdminResponse {
        let entry = try self.entry(request)
        let side = request.parameters["side"]
        guard side == "request" || side == "response" else {
            throw AdminError(404, "A body is that of the request or of the response.")
        }
        let text = ExchangeText(entry)
        guard let (body, headers) = side == "request" ? text.requestBody : text.responseBody, body.count > 0 else {
            throw AdminError(404, "There is no body: it is empty, or was not kept.")
        }
        let location = entry.event.source.location
        let octets: ByteBuffer
        do {
            octets = try await NIOThreadPool.singleton.runIfActive {
                try body.octets(at: location, limit: Self.bodyLimit)
            }
        } catch let error as CassetteError {
            throw AdminError(error.code == .tooLarge ? 413 : 409, error.description)
        }
        return Self.response(octets, headers, name: "\(entry.number)-\(side)")
    }

    /// Text is shown as plain text, whatever it is, and all else is a file to save: nothing here is a page.
    private static func response(_ octets: ByteBuffer, _ headers: HeaderList, name: String) -> AdminResponse {
        let type = headers.first("content-type").flatMap { MediaType.parse($0) }
        let isText = type?.isText == true && String(validating: octets.readableBytesView, as: UTF8.self) != nil
        var response = AdminResponse(type: isText ? "text/plain; charset=utf-8" : "application/octet-stream", octets)
        if !isText {
            response.headers.append(name: "Content-Disposition", value: "attachment; filename=\"\(name).bin\"")
        }
        return response
    }

    /// A stream of exchanges as they happen (the EventSource format of the HTML standard, section 9.2).
    private func events(_ request: AdminRequest) throws -> AdminResponse {
        let log = try self.log()
        var response = AdminResponse(type: "text/event-stream", ByteBuffer())
        response.events = EventFeed(
            log: log, run: self.run, lastID: request.headers.first("last-event-id") ?? request.query("last_event_id"),
            filter: try ExchangeFilter(request))
        return response
    }
}
