import Logging
import PlayheadCA
import PlayheadCassette
import PlayheadEngine
import PlayheadProxy

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Turns settings into the parts that `run` and `serve` start.
struct SessionSetup {
    let settings: Settings
    let host: HostEnvironment

    /// Where the cassette is.
    func location(withKey: Bool = true) throws -> CassetteLocation {
        let name = self.settings.text(.cassette) ?? "default"
        do {
            let key = withKey ? try self.key() : nil
            return CassetteFolder.existing(
                CassetteLocation(
                    folder: self.cassettesFolder, name: try CassetteName.validated(name), key: key),
                named: name)
        } catch let error as CassetteError {
            throw self.settings.error(.cassette, "is not usable: \(error)")
        }
    }

    /// The key of encrypted cassettes, if there is one.
    func key() throws -> CassetteKey? {
        try self.settings.text(.encryptWith).map { try EncryptionSettings(host: self.host).key($0) }
    }

    /// The cassette's path as it was asked for, for messages.
    func displayPath() throws -> String {
        let file = try self.location(withKey: false).file
        let here = self.host.workingFolder + "/"
        return file.hasPrefix(here) ? String(file.dropFirst(here.count)) : file
    }

    /// What must be equal for a recording to answer.
    func matchRules() throws -> MatchRules {
        var rules = MatchRules.standard
        do {
            if self.settings[.match] != nil {
                rules = try MatchRules.parse(list: self.settings.list(.match).joined(separator: ","))
            }
        } catch let error as EngineError {
            throw self.settings.error(.match, "is not usable: \(error)")
        }
        rules.ignoredQuery.formUnion(self.settings.list(.ignoreQuery))
        rules.ignoredHeaders.formUnion(self.settings.list(.ignoreHeader).map { $0.lowercased() })
        rules.ignoredFormKeys.formUnion(self.settings.list(.ignoreForm))
        rules.ignoredJSONPaths += self.settings.list(.ignoreJSON)
        do { try rules.validate() } catch let error as EngineError {
            throw self.settings.error(.ignoreJSON, "is not usable: \(error)")
        }
        return rules
    }

    /// How the cassette is opened.
    func sessionOptions() throws -> SessionOptions {
        let rules = try self.matchRules()
        var options = SessionOptions(
            location: try self.location(),
            displayPath: try self.displayPath(),
            mode: try self.settings.parsed(
                .mode, default: .once, expected: "once, new_episodes, none, all, rewrite, passthrough or intercept",
                RecordMode.parse),
            rules: rules,
            repeats: try self.settings.parsed(
                .repeats, default: .none, expected: "none, last or cycle", Repeats.init(rawValue:)),
            filters: self.settings.filters, overrides: try self.overrides(), redactor: try self.redactor(),
            recordedWith: Version.program,
            reRecordAfter: try self.settings.parsed(
                .reRecordAfter, default: nil, expected: "a duration such as 30d", ValueParsers.milliseconds),
            dropsUnused: try self.settings.flag(.dropUnused))
        if options.mode != .passthrough, options.mode != .intercept {
            try self.requireFolder(self.cassettesFolder, .cassettesFolder)
        }
        try self.setPlayback(&options)
        options.reportsExchanges = !self.settings.list(.report).isEmpty
        return options
    }

    /// What takes the place of values in replayed JSON.
    func overrides() throws -> JSONOverrides {
        do { return try JSONOverrides(self.settings.list(.jsonOverrides)) } catch let error as EngineError {
            throw self.settings.error(.jsonOverrides, "is not usable: \(error)")
        }
    }

    /// What is taken out before anything is stored.
    func redactor() throws -> Redactor {
        do {
            let secrets = try KnownSecrets(
                names: self.settings.list(.secretsFromEnvironment), environment: self.host.environment)
            return try Redactor.withoutRules(named: self.settings.list(.noRedact)).hiding(secrets)
        } catch let error as EngineError {
            let key = error.code == .badSecretName ? SettingKey.secretsFromEnvironment : .noRedact
            throw self.settings.error(key, "is not usable: \(error)")
        }
    }

    /// The files of certificates to trust upstream, which must be readable.
    func upstreamRoots() throws -> [String] {
        try self.settings.list(.upstreamCA).map { text in
            let path = self.host.absolute(text)
            guard access(path, R_OK) == 0 else {
                throw CommandFailure(
                    .system(.inputMissing),
                    "The certificates in \(path) cannot be read: \(FileText.lastError). "
                        + "\(self.settings.place(of: .upstreamCA)) names the file.")
            }
            return path
        }
    }

    /// What the proxy is asked to do.
    func proxySettings() throws -> ProxySettings {
        let hosts = "a host name, *.example.com or HOST:PORT"
        let ignored = try self.hostsAndKeywords(.ignore, expected: hosts)
        let only = try self.hostsAndKeywords(.only, expected: hosts)
        let upstream = UpstreamSettings(self.settings, self.host)
        return ProxySettings(
            traffic: TrafficRules(
                only: only.hosts, ignore: ignored.hosts,
                tunnel: try self.settings.parsedList(.tunnel, expected: hosts) { try? HostPattern($0) },
                urlKeywords: only.keywords, ignoredKeywords: ignored.keywords),
            hostMap: try self.settings.parsedList(.map, expected: "HOST[:PORT]=ADDR[:PORT]", ValueParsers.mapping),
            missAction: try self.settings.parsed(
                .onMiss, default: .status(501), expected: "status:N (200 to 599) or close", ValueParsers.missAction),
            insecureHosts: try self.settings.parsedList(.insecureUpstream, expected: hosts) { try? HostPattern($0) },
            timeouts: try upstream.timeouts(), upstreamRoutes: try upstream.routes(),
            clientCertificates: try upstream.clientCertificates(),
            http2: try self.settings.parsed(
                .http2, default: .auto, expected: "auto, always or off", ValueParsers.http2Use))
    }

    /// A list of hosts and of URL keywords: `/v1/` is no host; it means the URLs that contain it.
    private func hostsAndKeywords(
        _ key: SettingKey, expected: String
    ) throws -> (hosts: [HostPattern], keywords: [String]) {
        let values = self.settings.list(key)
        let hosts = try self.settings.parsedList(key, in: values.filter { !$0.contains("/") }, expected: expected) {
            try? HostPattern($0)
        }
        return (hosts, values.filter { $0.contains("/") })
    }

    /// Says on stderr which hosts are not verified, at every start and at every log level.
    func warnOfInsecureHosts() {
        let hosts = self.settings.list(.insecureUpstream)
        guard !hosts.isEmpty else { return }
        Terminal.talk(
            "playhead: warning: the certificate of \(hosts.joined(separator: ", ")) is not verified "
                + "(--insecure-upstream): anybody on the way can read and change what is recorded.")
    }

    /// The logger for everything that is not a result.
    func logger() throws -> Logger {
        let quiet: Logger.Level = try self.settings.flag(.quiet) ? .error : .warning
        let level = try self.settings.parsed(
            .logLevel, default: try self.settings.flag(.verbose) ? Logger.Level.info : quiet,
            expected: "trace, debug, info, notice, warning, error or critical", Logger.Level.init(rawValue:))
        let format = try self.settings.parsed(
            .logFormat, default: StderrLogHandler.Format.text, expected: "text or json",
            StderrLogHandler.Format.init(rawValue:))
        let now = self.host.now
        return Logger(label: "playhead") { _ in StderrLogHandler(format: format, level: level, now: now) }
    }

    /// The folder that holds the persistent CA.
    var caDirectory: String {
        if let folder = self.settings.text(.caDirectory) { return self.host.absolute(folder) }
        if let data = self.host.environment["XDG_DATA_HOME"], data.hasPrefix("/") { return data + "/playhead" }
        return (self.host.environment["HOME"] ?? "/tmp") + "/.local/share/playhead"
    }

    /// The CA given by `--ca-cert` and `--ca-key`, if any.
    func ownAuthority() throws -> CertificateAuthority? {
        switch (self.settings.text(.caCertificate), self.settings.text(.caKey)) {
        case (let certificate?, let key?):
            return try CertificateAuthority.load(
                certificateFile: self.host.absolute(certificate), keyFile: self.host.absolute(key))
        case (nil, nil): return nil
        case (_?, nil): throw self.settings.error(.caCertificate, "needs --ca-key with its key")
        case (nil, _?): throw self.settings.error(.caKey, "needs --ca-cert with its certificate")
        }
    }

    /// The CA for a long-running proxy: the user's own, else the persistent one, created on first use.
    func persistentAuthority() throws -> CertificateAuthority {
        if let own = try self.ownAuthority() { return own }
        try self.requireFolder(self.caDirectory, .caDirectory)
        return try CertificateAuthority.loadOrCreate(
            directory: self.caDirectory, userAtHost: self.host.userAtHost(),
            now: self.host.now().milliseconds / 1000)
    }

    /// The CA for one `run`: one in memory only, unless a persistent one exists that clients may trust already.
    func authorityForRun() throws -> CertificateAuthority {
        if let own = try self.ownAuthority() { return own }
        if self.settings[.caDirectory] != nil || CertificateAuthority.exists(directory: self.caDirectory) {
            return try self.persistentAuthority()
        }
        return try CertificateAuthority.ephemeral(
            userAtHost: self.host.userAtHost(), now: self.host.now().milliseconds / 1000)
    }
}
