/// The running Android emulators, through `adb`.
///
/// The system's certificates are on a read-only partition, so a copy in memory covers them until the next boot.
public struct AndroidEmulators: TrustStoreDriver {
    /// Where programs of all versions look; from Android 14 on, by way of mounts over the module's folder.
    static let folder = "/system/etc/security/cacerts"
    static let module = "/apex/com.android.conscrypt/cacerts"
    static let copy = "/data/local/tmp/playhead-cacerts"

    /// The name that people and options use.
    public let name = "android-emulator"

    /// Creates the driver.
    public init() {}

    /// Whether every running emulator trusts the certificate.
    public func state(of certificate: LocalCertificate, on host: TrustHost) throws(TrustError) -> TrustState {
        guard let command = Self.command(host) else {
            return .notPresent("no adb; it comes with the platform tools of Android Studio")
        }
        let emulators = try Self.emulators(command, host)
        if emulators.isEmpty { return .notPresent("no Android emulator is running") }
        for emulator in emulators where try !holds(certificate, emulator, command, host) { return .missing }
        return .installed
    }

    /// The commands that make every running emulator trust the certificate.
    public func installation(of certificate: LocalCertificate, on host: TrustHost) throws(TrustError) -> [TrustCommand]
    {
        guard let command = Self.command(host) else { return [] }
        let hash = try Self.hash(certificate)
        var commands: [TrustCommand] = []
        for emulator in try Self.emulators(command, host) where try !holds(certificate, emulator, command, host) {
            commands += Self.prepared(emulator, command, certificate)
            commands.append(
                TrustCommand(
                    [command, "-s", emulator, "shell", Self.installing(certificate.storeName, hash: hash)],
                    needsRoot: false))
        }
        return commands
    }

    /// The commands that make every running emulator forget the certificate.
    public func removal(of certificate: LocalCertificate, on host: TrustHost) throws(TrustError) -> [TrustCommand] {
        guard let command = Self.command(host) else { return [] }
        let hash = try Self.hash(certificate)
        var commands: [TrustCommand] = []
        for emulator in try Self.emulators(command, host) where try holds(certificate, emulator, command, host) {
            commands += Self.prepared(emulator, command, certificate)
            commands.append(
                TrustCommand(
                    [command, "-s", emulator, "shell", Self.removing(certificate.storeName, hash: hash)],
                    needsRoot: false))
        }
        return commands
    }

    private func holds(
        _ certificate: LocalCertificate, _ emulator: String, _ command: String, _ host: TrustHost
    ) throws(TrustError) -> Bool {
        let hash = try Self.hash(certificate)
        let found = try host.read([command, "-s", emulator, "shell", "cat \(Self.folder)/\(hash).* 2>/dev/null"])
        return PEMCertificate.all(in: found.output).contains(certificate.certificate)
    }

    /// Root, which only images without Google Play give, and our certificate on the device.
    private static func prepared(
        _ emulator: String, _ command: String, _ certificate: LocalCertificate
    ) -> [TrustCommand] {
        [
            TrustCommand([command, "-s", emulator, "root"], needsRoot: false),
            TrustCommand([command, "-s", emulator, "wait-for-device"], needsRoot: false),
            TrustCommand(
                [command, "-s", emulator, "push", certificate.path, place(certificate.storeName)], needsRoot: false),
        ]
    }

    private static func place(_ name: String) -> String { "/data/local/tmp/\(name).pem" }

    /// Covers the folder by a copy with our certificate under the first free number of its hash.
    static func installing(_ name: String, hash: String) -> String {
        let cover = """
            from=\(folder); if [ -d \(module) ]; then from=\(module); fi
            rm -rf \(copy) && mkdir -p -m 700 \(copy) && cp $from/* \(copy)/
            mount -t tmpfs tmpfs \(folder) && cp \(copy)/* \(folder)/ && rm -rf \(copy)
            """
        return """
            set -e
            if ! mount | grep -q ' \(folder) type tmpfs'; then
            \(cover)
            fi
            n=0; while [ -e \(folder)/\(hash).$n ]; do n=$((n + 1)); done
            cp \(place(name)) \(folder)/\(hash).$n
            chown root:root \(folder)/*
            chmod 644 \(folder)/*
            chcon u:object_r:system_file:s0 \(folder)/*
            if [ -d \(module) ]; then
            for zygote in $(pidof zygote zygote64); do
            for process in $zygote $(ps -o PID= --ppid $zygote); do
            nsenter --mount=/proc/$process/ns/mnt -- /bin/mount --bind \(folder) \(module)
            done; done; fi
            rm -f \(place(name))
            """
    }

    /// Takes our very file out of the cover and nothing else.
    static func removing(_ name: String, hash: String) -> String {
        """
        for file in \(folder)/\(hash).*; do if cmp -s $file \(place(name)); then rm -f $file; fi; done
        rm -f \(place(name))
        """
    }

    /// The serial numbers in lines such as `emulator-5554	device`.
    static func emulators(_ command: String, _ host: TrustHost) throws(TrustError) -> [String] {
        let list = try host.read([command, "devices"])
        guard list.status == 0 else { return [] }
        return list.text.split(separator: "\n").compactMap { line in
            let words = line.split { $0 == "\t" || $0 == " " }
            guard words.count >= 2, words[0].hasPrefix("emulator-"), words[1] == "device" else { return nil }
            return String(words[0])
        }
    }

    private static func hash(_ certificate: LocalCertificate) throws(TrustError) -> String {
        guard let hash = certificate.oldSubjectHash else {
            throw TrustError(.badInput, "the subject's hash of \(certificate.path) is not known; Android needs it")
        }
        return hash
    }

    private static func command(_ host: TrustHost) -> String? {
        if let command = host.executable("adb") { return command }
        let homes = ["ANDROID_HOME", "ANDROID_SDK_ROOT"].compactMap { host.environment[$0] }.filter { !$0.isEmpty }
        let places = homes + [host.home + "/Library/Android/sdk", host.home + "/Android/Sdk"]
        return places.map { $0 + "/platform-tools/adb" }.first(where: FileAccess.isExecutable)
    }
}
