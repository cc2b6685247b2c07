import Testing

@testable import UserNotifications

struct AppGroupTests {
    @Test func `a group's container is its folder among the groups`() throws {
        let groups = try TemporaryFolder()
        let folder = groups.url.appendingPathComponent("group.com.example", isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        #expect(container(of: "group.com.example", in: groups)?.path == folder.path)
    }

    @Test func `a group without a folder has no container`() throws {
        #expect(container(of: "group.com.example", in: try TemporaryFolder()) == nil)
    }

    @Test func `a file is no container`() throws {
        let groups = try TemporaryFolder()
        _ = try groups.makeFile("group.com.example")
        #expect(container(of: "group.com.example", in: groups) == nil)
    }

    @Test(arguments: ["", ".", "..", "../x", "x/..", "/tmp", "group\u{0}", "x/"])
    func `an identifier that leads elsewhere has no container`(_ identifier: String) throws {
        let groups = try TemporaryFolder()
        let folder = groups.url.appendingPathComponent("x", isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        #expect(container(of: identifier, in: groups) == nil)
    }

    @Test(arguments: [nil, ""])
    func `without a folder of groups there is no container`(_ path: String?) {
        #expect(
            FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: "tmp", appGroupsPath: path) == nil
        )
    }

    private func container(of identifier: String, in groups: TemporaryFolder) -> URL? {
        FileManager.default.containerURL(
            forSecurityApplicationGroupIdentifier: identifier,
            appGroupsPath: groups.url.path
        )
    }
}
