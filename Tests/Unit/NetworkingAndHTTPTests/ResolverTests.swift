import Glibc
import Platform
import Testing

@testable import Networking

@Suite struct ResolverTests {
    /// A system resolver that hangs until it is released, once for each lookup.
    private final class HangingSystem: Sendable {
        private let ends: (read: Int32, write: Int32)
        private let counts = Guarded((now: 0, highest: 0, hosts: [String]()))
        let entered = Signal<String>()

        init() {
            var descriptors: [Int32] = [0, 0]
            let code = unsafe pipe(&descriptors)
            precondition(code == 0)
            ends = (descriptors[0], descriptors[1])
        }

        deinit {
            close(ends.read)
            close(ends.write)
        }

        var highest: Int { counts.withLock { $0.highest } }
        var hosts: [String] { counts.withLock { $0.hosts } }

        func lookup(_ host: String, _ port: UInt16) throws(TransportError) -> [SocketAddress] {
            counts.withLock { counts in
                counts.now += 1
                counts.highest = max(counts.highest, counts.now)
                counts.hosts.append(host)
            }
            entered.send(host)
            var byte: UInt8 = 0
            _ = unsafe read(ends.read, &byte, 1)
            counts.withLock { $0.now -= 1 }
            return try SocketAddress.resolve(host: "127.0.0.1", port: port)
        }

        func goOn() {
            var byte: UInt8 = 0
            _ = unsafe write(ends.write, &byte, 1)
        }
    }

    @Test func `a system that hangs takes no more threads than allowed, and everybody is answered in the end`()
        async throws
    {
        let loop = try EventLoop()
        defer { loop.stop() }
        let system = HangingSystem()
        let resolver = Resolver(threadCountMax: 2) { (host, port) throws(TransportError) in
            try system.lookup(host, port)
        }
        let answered = Signal<Int>()
        for index in 0..<6 {
            _ = resolver.resolve(host: "host\(index).example", port: 1, on: loop) { result in
                answered.send((try? result.get().count) == 1 ? index : -1)
            }
        }
        for _ in 0..<2 { _ = await system.entered.next() }
        var indices: [Int?] = []
        for _ in 0..<6 {
            system.goOn()
            indices.append(await answered.next())
        }
        #expect(Set(indices) == [0, 1, 2, 3, 4, 5])
        #expect(system.highest == 2)
    }

    @Test func `a query that is cancelled while it waits is never asked`() async throws {
        let loop = try EventLoop()
        defer { loop.stop() }
        let system = HangingSystem()
        let resolver = Resolver(threadCountMax: 1) { (host, port) throws(TransportError) in
            try system.lookup(host, port)
        }
        let answered = Signal<String>()
        func ask(_ host: String) -> Resolver.Query {
            resolver.resolve(host: host, port: 1, on: loop) { _ in answered.send(host) }
        }
        _ = ask("first")
        let second = ask("second")
        _ = ask("third")
        resolver.cancel(second)
        for expected in ["first", "third"] {
            system.goOn()
            #expect(await answered.next() == expected)
        }
        #expect(system.hosts == ["first", "third"])
    }

    @Test func `a connection that gives up leaves no query behind`() async throws {
        let loop = try EventLoop()
        defer { loop.stop() }
        let system = HangingSystem()
        let resolver = Resolver(threadCountMax: 1) { (host, port) throws(TransportError) in
            try system.lookup(host, port)
        }
        let answered = Signal<Void>()
        _ = resolver.resolve(host: "first", port: 1, on: loop) { _ in answered.send(()) }
        await loop.run {
            var route = TCPRoute()
            route.resolver = resolver
            let connector = TCPConnector(loop: loop, route: route)
            connector.connect(host: "second", port: 1) { _ in Issue.record("called after cancel") }
            connector.cancel()
        }
        _ = resolver.resolve(host: "third", port: 1, on: loop) { _ in answered.send(()) }
        for _ in 0..<2 {
            system.goOn()
            _ = await answered.next()
        }
        #expect(system.hosts == ["first", "third"])
    }

    // MARK: Order

    private func candidates(_ hosts: [String], offset: Int) throws -> [String] {
        let addresses = try hosts.map { try SocketAddress.resolve(host: $0, port: 443)[0] }
        return AddressOrder.candidates(addresses, offset: offset).map(\.text)
    }

    @Test(
        arguments: [
            (0, ["192.0.2.1:443", "192.0.2.2:443", "192.0.2.3:443"]),
            (1, ["192.0.2.2:443", "192.0.2.3:443", "192.0.2.1:443"]),
            (5, ["192.0.2.3:443", "192.0.2.1:443", "192.0.2.2:443"]),
            (-1, ["192.0.2.3:443", "192.0.2.1:443", "192.0.2.2:443"]),
        ]
    )
    func `the offset says where to begin, and wraps`(_ offset: Int, _ expected: [String]) throws {
        #expect(try candidates(["192.0.2.1", "192.0.2.2", "192.0.2.3"], offset: offset) == expected)
    }

    @Test func `the families take turns, the resolver's first choice first`() throws {
        let hosts = ["2001:db8::1", "2001:db8::2", "2001:db8::3", "192.0.2.1", "192.0.2.2"]
        let expected = [
            "[2001:db8::2]:443", "192.0.2.2:443", "[2001:db8::3]:443", "192.0.2.1:443", "[2001:db8::1]:443",
        ]
        #expect(try candidates(hosts, offset: 1) == expected)
        #expect(try candidates([], offset: 3) == [])
    }
}
