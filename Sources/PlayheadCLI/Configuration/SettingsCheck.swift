import PlayheadProxy

/// Reads every setting the way `run` and `serve` do, and starts nothing.
struct SettingsCheck {
    let setup: SessionSetup

    /// - Throws: `CommandFailure` for the first setting that `run` or `serve` would refuse.
    func run() throws {
        let (setup, settings) = (self.setup, self.setup.settings)
        _ = try setup.sessionOptions()
        _ = try setup.sessionBounds()
        _ = try setup.proxySettings()
        _ = try setup.upstreamRoots()
        _ = try setup.logger()
        _ = try setup.ownAuthority()
        _ = try Verdict(setup)
        _ = try settings.parsedList(.listen, expected: "HOST:PORT", ValueParsers.listenAddress)
        _ = try settings.parsedList(.reverse, expected: "[HOST:]PORT=URL", ValueParsers.reverse)
        _ = try settings.parsedList(.allowFrom, expected: "networks such as 10.0.0.0/8", AddressRange.init)
        if settings.text(.admin) != "off" {
            _ = try settings.parsedList(.admin, expected: "HOST:PORT or off", ValueParsers.listenAddress)
        }
        _ = try settings.parsedList(
            .adminHost, expected: "host names without a port", ValueParsers.hostName)
        for key in [SettingKey.shutdownGrace, .timeout] {
            _ = try settings.parsedList(key, expected: "a duration such as 8s", ValueParsers.milliseconds)
        }
        for key in SettingKey.allCases {
            if key.shape == .flag { _ = try settings.flag(key) }
            if case .words(let words)? = SettingDescription.all[key]?.form, key != .http2 {
                let expected = words.joined(separator: ", ")
                _ = try settings.parsedList(key, expected: expected) { words.contains($0) ? $0 : nil }
            }
        }
    }
}
