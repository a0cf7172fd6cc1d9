import ArgumentParser

/// `playhead config`: the settings that hold here, and what they may be.
struct ConfigCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config",
        abstract: "Show the settings that hold here, check them, or print their JSON Schema.",
        discussion: """
            EXAMPLES
              playhead config show --origin          where each value comes from
              playhead config validate               what run and serve would refuse, with its line
              playhead config schema > playhead.schema.json
            """,
        subcommands: [Show.self, Validate.self, Schema.self])

    /// `playhead config show`.
    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print the settings that hold here, as playhead.yaml would say them.",
            discussion: """
                Flags win over variables, variables over playhead.yaml, and that over the defaults. Secrets are masked.

                EXAMPLES
                  playhead config show --origin
                  playhead config show --json
                  playhead config show --origin --mode none     with a flag of run or serve
                """)

        @Flag(help: "Say for each value where it comes from.")
        var origin = false

        @Flag(help: "Print JSON.")
        var json = false

        @OptionGroup var shared: SharedOptions

        func run() throws {
            try CommandBoundary.run {
                let settings = try Settings.load(
                    flags: self.shared.flags, configFile: self.shared.config, host: HostEnvironment.current())
                let effective = EffectiveSettings(settings)
                if self.json { return Terminal.result(effective.json) }
                Terminal.raw(effective.text(showingOrigin: self.origin))
            }
        }
    }

    /// `playhead config validate`.
    struct Validate: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Check playhead.yaml and the variables; exit 78 with the line of what is wrong.",
            discussion: """
                Reads every setting as `run` and `serve` do, files and certificates that they name included.

                EXAMPLES
                  playhead config validate
                  playhead config validate ci/playhead.yaml
                """)

        @Argument(help: "The file. (default: playhead.yaml, found upwards to the repository root)")
        var file: String?

        func run() throws {
            try CommandBoundary.run {
                let host = HostEnvironment.current()
                let settings = try Settings.load(flags: [:], configFile: self.file, host: host)
                try SettingsCheck(setup: SessionSetup(settings: settings, host: host)).run()
                let path =
                    self.file ?? host.environment["PLAYHEAD_CONFIG"].flatMap { $0.isEmpty ? nil : $0 }
                    ?? ConfigurationFile.find(from: host.workingFolder)
                Terminal.result(path.map { "\($0) is valid" } ?? "there is no playhead.yaml; the variables are valid")
            }
        }
    }

    /// `playhead config schema`.
    struct Schema: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print the JSON Schema of playhead.yaml.",
            discussion: """
                Editors with a YAML language server take it from a first line
                # yaml-language-server: $schema=playhead.schema.json

                EXAMPLES
                  playhead config schema > playhead.schema.json
                """)

        func run() { Terminal.raw(ConfigurationSchema.text) }
    }
}
