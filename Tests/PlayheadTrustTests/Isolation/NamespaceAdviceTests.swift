import Testing

@testable import PlayheadTrust

struct NamespaceAdviceTests {
    @Test func readsTheSwitchesOfTheKernel() throws {
        let folder = try TemporaryFolder()
        try folder.write("0\n", "proc/sys/kernel/unprivileged_userns_clone")
        try folder.write("15000\n", "proc/sys/user/max_user_namespaces")
        try folder.write("1\n", "proc/sys/kernel/apparmor_restrict_unprivileged_userns")
        #expect(
            NamespaceAdvice.current(isSuperuser: false, root: folder.path)
                == NamespaceAdvice(isCloneForbidden: true, isRestrictedByAppArmor: true))
    }

    @Test func knowsAContainer() throws {
        let folder = try TemporaryFolder()
        try folder.write("", "run/.containerenv")
        #expect(
            NamespaceAdvice.current(isSuperuser: true, root: folder.path)
                == NamespaceAdvice(isSuperuser: true, isInContainer: true))
    }

    @Test(arguments: [
        (NamespaceAdvice(isCloneForbidden: true), "kernel.unprivileged_userns_clone=1"),
        (NamespaceAdvice(isCountZero: true), "user.max_user_namespaces=15000"),
        (NamespaceAdvice(isRestrictedByAppArmor: true), "kernel.apparmor_restrict_unprivileged_userns=0"),
        (NamespaceAdvice(isRestrictedByAppArmor: true, isInContainer: true), "--security-opt"),
        (NamespaceAdvice(isSuperuser: true), "SYS_ADMIN"),
        (NamespaceAdvice(), "Run it as root"),
    ])
    func namesTheCommandThatHelps(advice: NamespaceAdvice, words: String) {
        #expect(advice.sentence.contains(words))
    }
}
