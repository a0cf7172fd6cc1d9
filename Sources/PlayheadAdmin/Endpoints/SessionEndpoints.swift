import NIOCore
import PlayheadCassette
import PlayheadContent
import PlayheadEngine
import PlayheadHTTP
import PlayheadProxy

extension AdminService {
    /// A session as the API shows it.
    struct SessionView: Sendable {
        /// Who chose it.
        enum Kind: String { case standard = "default", named, leased }

        var id: String
        var kind: Kind
        var session: CassetteSession
        var port: Int?
    }

    static func addSessionRoutes(to router: inout Router<Handler>) {
        router.on("GET", "/api/v1/sessions") { service, _ in
            .json { writer in
                writer.member("sessions") { writer in
                    writer.array { writer in for view in service.views { service.write(view, to: &writer) } }
                }
            }
        }
        router.on("POST", "/api/v1/sessions") { try await $0.lease($1) }
        router.on("GET", "/api/v1/sessions/{id}") { try $0.show(try $0.view($1.parameters["id"])) }
        router.on("DELETE", "/api/v1/sessions/{id}") { try await $0.end($1.parameters["id"]) }
        router.on("POST", "/api/v1/sessions/{id}/rewind") { service, request in
            let view = try service.view(request.parameters["id"])
            view.session.rewind()
            return try service.show(view)
        }
        router.on("POST", "/api/v1/sessions/{id}/mode") { try await $0.setMode($1) }
    }

    /// Every open session: the default one, those that clients named, the leased ones.
    var views: [SessionView] {
        let sessions = self.context.sessions
        let leased = self.context.server.leases
        let taken = Set(leased.map { ObjectIdentifier($0.session.session) })
        var views = [SessionView(id: "default", kind: .standard, session: sessions.standard)]
        for session in sessions.all.dropFirst() where !taken.contains(ObjectIdentifier(session)) {
            views.append(SessionView(id: "user:\(session.location.name)", kind: .named, session: session))
        }
        return views
            + leased.map {
                SessionView(id: $0.session.id, kind: .leased, session: $0.session.session, port: $0.address.port)
            }
    }

    func view(_ id: String) throws(AdminError) -> SessionView {
        guard let view = self.views.first(where: { $0.id == id }) else {
            throw AdminError(404, "No session has this id; GET /api/v1/sessions lists them.")
        }
        return view
    }

    private func show(_ view: SessionView, status: Int = 200) throws -> AdminResponse {
        var writer = JSONWriter()
        self.write(view, to: &writer)
        return AdminResponse(status: status, type: "application/json", ByteBuffer(bytes: writer.octets))
    }

    private func lease(_ request: AdminRequest) async throws -> AdminResponse {
        let wanted = try SessionRequest(try request.json(), like: self.context.sessions.options)
        do {
            let lease = try await self.context.server.lease(wanted.options)
            let view = SessionView(
                id: lease.session.id, kind: .leased, session: lease.session.session, port: lease.address.port)
            var response = try self.show(view, status: 201)
            response.headers.append(name: "Location", value: "/api/v1/sessions/\(view.id)")
            return response
        } catch let error as LeaseError {
            throw AdminError(409, "\(error).")
        } catch let error as CassetteError {
            throw AdminError(error.code == .locked ? 409 : 422, error.description)
        }
    }

    private func end(_ id: String) async throws -> AdminResponse {
        let view = try self.view(id)
        guard view.kind == .leased else {
            throw AdminError(409, "Only leased sessions are ended here; this one ends with `serve`.")
        }
        do {
            guard let closed = try await self.context.server.endLease(id) else {
                throw AdminError(404, "No session has this id; it was ended just now.")
            }
            return AdminResponse(type: "application/json", ByteBuffer(bytes: closed.summary.json()))
        } catch let error as CassetteError {
            throw AdminError(500, error.description)
        }
    }

    private func setMode(_ request: AdminRequest) async throws -> AdminResponse {
        let id = request.parameters["id"]
        let mode = try SessionRequest.mode(try JSONFields(try request.json(), known: ["mode"]).required("mode"))
        let view = try self.view(id)
        guard view.kind == .leased, let lease = self.context.sessions.leases.find(id) else {
            throw AdminError(409, "Only a leased session changes its mode; this one has that of `serve`.")
        }
        do {
            try await self.context.server.reopen(lease, mode: mode)
        } catch let error as LeaseError {
            throw AdminError(409, "\(error).")
        } catch let error as CassetteError {
            throw AdminError(error.code == .locked ? 409 : 500, error.description)
        }
        return try self.show(try self.view(id))
    }

    private func write(_ view: SessionView, to writer: inout JSONWriter) {
        let (session, plan) = (view.session, view.session.plan)
        writer.object { writer in
            writer.member("id", view.id)
            writer.member("kind", view.kind.rawValue)
            writer.member("cassette", session.location.name.description)
            writer.member("file", session.location.file)
            writer.member("mode", plan.mode.rawValue)
            writer.member("explanation", plan.explanation)
            writer.member("proxy_url", self.proxyURL(of: view))
            writer.member("port", view.port)
            writer.member("exchanges", session.playCounts.count)
            writer.member("play_count", session.playCount)
            writer.member("all_played") { $0.bool(session.allPlayed) }
            writer.member("is_new") { $0.bool(session.isNew) }
            writer.member("is_write_protected") { $0.bool(session.isWriteProtected) }
            writer.member("counts") { $0.object { session.summary.writeCounts(to: &$0) } }
        }
    }

    /// The URL that leads a client into the session.
    private func proxyURL(of view: SessionView) -> String {
        if let port = view.port { return "http://127.0.0.1:\(port)" }
        let first = self.context.server.addresses.first
        let address = ListenAddress(host: first?.ipAddress ?? "127.0.0.1", port: first?.port ?? 0).reachable
        guard view.kind == .named else { return "http://\(address)" }
        return "http://\(PercentCoding.encode(view.session.location.name.description))@\(address)"
    }
}
