/// What the system says about namespaces for ordinary users, and what to do when it forbids them.
struct NamespaceAdvice: Equatable {
    /// Whether we are the superuser, who needs no user namespace.
    var isSuperuser = false
    /// Debian's switch `kernel.unprivileged_userns_clone` is off.
    var isCloneForbidden = false
    /// `user.max_user_namespaces` is 0.
    var isCountZero = false
    /// Ubuntu's AppArmor lets only named programs have them.
    var isRestrictedByAppArmor = false
    /// We are in a container.
    var isInContainer = false

    /// The commands or flags that help.
    var sentence: String {
        if isInContainer {
            return
                "In a container: start it with --security-opt seccomp=unconfined --security-opt apparmor=unconfined, "
                + "or as root with --cap-add SYS_ADMIN"
        }
        if isCloneForbidden { return "Allow it: sudo sysctl kernel.unprivileged_userns_clone=1" }
        if isCountZero { return "Allow it: sudo sysctl user.max_user_namespaces=15000" }
        if isRestrictedByAppArmor {
            return
                "AppArmor restricts it here: sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0, or run as root"
        }
        return isSuperuser ? "It needs the capability SYS_ADMIN" : "Run it as root"
    }

    /// Asks the machine.
    static func current(isSuperuser: Bool, root: String = "") -> NamespaceAdvice {
        func value(_ name: String) -> String? {
            FileAccess.text("\(root)/proc/sys/\(name)").map { String($0.prefix { !$0.isNewline }) }
        }
        return NamespaceAdvice(
            isSuperuser: isSuperuser,
            isCloneForbidden: value("kernel/unprivileged_userns_clone") == "0",
            isCountZero: value("user/max_user_namespaces") == "0",
            isRestrictedByAppArmor: value("kernel/apparmor_restrict_unprivileged_userns") == "1",
            isInContainer: ["/.dockerenv", "/run/.containerenv"].contains { FileAccess.exists(root + $0) })
    }
}
