import Testing

@testable import PushService

struct LibraryFloorTests {
    @Test(arguments: ["1.51.0", "1.51.1", "1.52.0-DEV", "1.100.0", "2.0.0"])
    func `a version that is new enough is taken, number by number (abuse case 109)`(_ version: String) {
        #expect(LibraryFloor.nghttp2.fault(of: version) == nil)
    }

    @Test(arguments: ["1.50.9", "1.9.0", "0.60.0", "", "1.51", "not available", "1.-1.0", "1.99999999999999999999.0"])
    func `a version that is older, or none, is refused with what is needed (abuse case 109)`(_ version: String) throws {
        let fault = try #require(LibraryFloor.nghttp2.fault(of: version))
        #expect(fault.hasPrefix("nghttp2 ") && fault.contains("1.51.0 is needed"))
    }

    @Test func `every library that is too old is named at once (abuse case 109)`() {
        let loaded = [
            (floor: LibraryFloor.openSSL, version: "1.1.1"), (floor: .curl, version: "7.88.1"),
            (floor: .sqlite, version: "3.36.0"),
        ]
        let text = """
            OpenSSL 1.1.1 is loaded, and 3.0.0 is needed: update it
            SQLite 3.36.0 is loaded, and 3.37.0 is needed: update it
            """
        #expect(throws: ServiceError.part(text)) { try LibraryFloor.check(loaded) }
    }

    @Test func `those that are loaded here say who they are, and are new enough (abuse case 109)`() throws {
        #expect(LibraryFloor.loaded.allSatisfy { !$0.version.isEmpty })
        #expect(Set(LibraryFloor.loaded.map(\.version)).count == 5)
        try LibraryFloor.check()
    }
}
