import APNS
import HTTP
import Networking
import Platform
import TestSupport
import Testing

@testable import APNSProvider

struct ConnectionPoolTests {
    @Test func `until the first authenticated answer one push is on its way, and then all`() async throws {
        let site = try APNSStandIn()
        let held = Guarded<[Push]>([])
        let first = Signal()
        let others = Signal()
        let server = try await site.serve { push in
            let count = held.withLock { held in
                held.append(push)
                return held.count
            }
            if count == 1 { first.set() }
            if count == 5 { others.set() }
        }
        let client = try site.client(of: server)
        let batch = try (0..<5).map(APNSStandIn.notification)
        async let results = client.send(batch)
        await first.wait()
        // The client has the server's SETTINGS, which allow a thousand; a push beyond the first would be here too.
        #expect(held.withLock { $0.count } == 1)
        held.withLock { $0[0] }.accept()
        await others.wait()
        for push in held.withLock({ $0.dropFirst() }) { push.accept() }
        #expect(await results.map { try? $0.get().status } == [200, 200, 200, 200, 200])
        await client.close()
        await server.close()
    }

    @Test func `through a window that is always full pushes arrive in their order`() async throws {
        let site = try APNSStandIn()
        let arrived = Guarded<[[UInt8]]>([])
        let server = try await site.serve(windowByteCount: 65_535) { push in
            arrived.withLock { $0.append(Array(push.id)) }
            push.accept()
        }
        let client = try site.client(of: server) { $0.connectionCountMax = 1 }
        let pushes = try (0..<600).map { try APNSStandIn.notification($0, padding: 1_000) }
        let results = await client.send(pushes)
        #expect(results.allSatisfy { (try? $0.get().status) == 200 })
        let isInOrder = arrived.withLock { $0 } == pushes.map { Array($0.id.description.utf8) }
        #expect(isInOrder)
        await client.close()
        await server.close()
    }

    @Test func `a body that is larger than the whole window goes out alone`() async throws {
        let site = try APNSStandIn()
        let server = try await site.serve(windowByteCount: 3_000) { $0.accept() }
        let client = try site.client(of: server) { $0.connectionCountMax = 1 }
        let results = await client.send(try (0..<10).map { try APNSStandIn.notification($0, padding: 4_000) })
        #expect(results.allSatisfy { (try? $0.get().status) == 200 })
        await client.close()
        await server.close()
    }

    @Test func `after a GOAWAY what was not processed goes out once more, on another connection, and is answered once`()
        async throws
    {
        let site = try APNSStandIn()
        let server = try await site.serve { push in
            // The first connection takes one push and sends GOAWAY.
            if push.connectionNumber == 1 { push.connection.goAway(code: 0, debugData: []) }
            push.accept()
        }
        let client = try site.client(of: server)
        let results = await client.send(try (0..<100).map(APNSStandIn.notification))
        let answers = try results.map { try $0.get() }
        #expect(answers.allSatisfy { $0.status == 200 && !$0.isMaybeDuplicate && $0.attemptCount <= 2 })
        await client.close()
        await server.close()
    }

    @Test func `a batch has one result for each push in its order, those that break a rule among them`() async throws {
        let site = try APNSStandIn()
        let server = try await site.serve { push in
            push.id.first == UInt8(ascii: "0") ? push.accept() : push.reject(.badDeviceToken)
        }
        let client = try site.client(of: server)
        var notifications = try [0, 0x1000, 1].map(APNSStandIn.notification)
        notifications.insert(try APNSStandIn.notification(2), at: 1)
        notifications[1].payload = []
        let results = await client.send(notifications)
        #expect(results.map { try? $0.get().status } == [200, nil, 400, 200])
        #expect(results[1] == .failure(.notSendable(.payloadEmpty)))
        #expect(try results[2].get().reason == .badDeviceToken)
        #expect(await client.send([]).isEmpty)
        await client.close()
        await server.close()
    }

    @Test func `what waits can be taken back, and what is on its way has its answer`() async throws {
        let site = try APNSStandIn()
        let arrived = Signal()
        let held = Guarded<Push?>(nil)
        let server = try await site.serve { push in
            if push.id.starts(with: "0000".utf8) {
                held.withLock { $0 = push }
                arrived.set()
            } else {
                push.accept()
            }
        }
        let client = try site.client(of: server)
        let batch = try (0..<4).map(APNSStandIn.notification)
        async let results = client.send(batch)
        await arrived.wait()
        // One is in flight, because no push has an answer yet.
        while await client.waitingCount < 3 { await Task.yield() }
        let ids = [batch[0].id, batch[2].id]
        await client.loop.run { client.takeBack { ids.contains($0.id) } }
        held.withLock { $0 }?.accept()
        let ends = await results
        #expect(ends.map { try? $0.get().status } == [200, 200, nil, 200])
        #expect(ends[2] == .failure(.cancelled(mayHaveBeenSent: false)))
        await client.close()
        await server.close()
    }

    @Test func `a full queue refuses at once who does not want to wait`() async throws {
        let site = try APNSStandIn()
        let arrived = Signal()
        let held = Guarded<Push?>(nil)
        let server = try await site.serve { push in
            if push.id.starts(with: "0000".utf8) {
                held.withLock { $0 = push }
                arrived.set()
            } else {
                push.accept()
            }
        }
        let client = try site.client(of: server) { $0.waitingCountMax = 2 }
        async let first = client.send(try APNSStandIn.notification(0))
        await arrived.wait()
        // One is in flight, because no push has an answer yet: these two wait, and the next finds no room.
        async let waiting = client.send([try APNSStandIn.notification(1), try APNSStandIn.notification(2)])
        while await client.waitingCount < 2 { await Task.yield() }
        await #expect(throws: ProviderError.queueFull(countMax: 2)) {
            try await client.trySend(try APNSStandIn.notification(3))
        }
        held.withLock { $0 }?.accept()
        #expect(try await first.status == 200)
        #expect(try await waiting.map { try? $0.get().status } == [200, 200])
        #expect(try await client.trySend(try APNSStandIn.notification(4)).status == 200)
        await client.close()
        await server.close()
    }

    @Test func `who cancels while waiting is told that nothing was sent, and while on the way that it may have been`()
        async throws
    {
        let site = try APNSStandIn()
        let arrived = Signal()
        let server = try await site.serve { _ in arrived.set() }
        let client = try site.client(of: server)
        let sent = Task { try await client.send(try APNSStandIn.notification(0)) }
        await arrived.wait()
        let waiting = Task { try await client.send(try APNSStandIn.notification(1)) }
        while await client.waitingCount < 1 { await Task.yield() }
        waiting.cancel()
        await #expect(throws: ProviderError.cancelled(mayHaveBeenSent: false)) { try await waiting.value }
        sent.cancel()
        await #expect(throws: ProviderError.cancelled(mayHaveBeenSent: true)) { try await sent.value }
        await client.close()
        await server.close(gracefully: false)
    }

    @Test func `a batch that is cancelled has a result for each push, sent or not, also when it was before it began`()
        async throws
    {
        let site = try APNSStandIn()
        let arrived = Signal()
        let server = try await site.serve { _ in arrived.set() }
        let client = try site.client(of: server)
        let notifications = try (0..<500).map(APNSStandIn.notification)
        let batch = Task { await client.send(notifications) }
        await arrived.wait()
        batch.cancel()
        let results = await batch.value
        #expect(results.count == 500)
        #expect(results.filter { $0 == .failure(.cancelled(mayHaveBeenSent: true)) }.count == 1)
        #expect(results.filter { $0 == .failure(.cancelled(mayHaveBeenSent: false)) }.count == 499)
        let late = Task {
            while !Task.isCancelled { await Task.yield() }
            return await client.send(notifications)
        }
        late.cancel()
        #expect(await late.value.allSatisfy { $0 == .failure(.cancelled(mayHaveBeenSent: false)) })
        await client.close()
        await server.close(gracefully: false)
    }

    @Test(arguments: [APNSClientConfiguration.AmbiguityPolicy.report, .resendCollapsible, .resend], [true, false])
    func `a push whose connection died before the answer is repeated as the policy says, and marked`(
        _ policy: APNSClientConfiguration.AmbiguityPolicy,
        _ hasCollapseID: Bool
    ) async throws {
        let site = try APNSStandIn()
        let ids = Guarded<[[UInt8]]>([])
        let server = try await site.serve { push in
            ids.withLock { $0.append(Array(push.id)) }
            if push.connectionNumber == 1 { push.connection.abort() } else { push.accept() }
        }
        let client = try site.client(of: server) {
            $0.ambiguity = policy
            $0.backoff.floor = .milliseconds(1)
        }
        var notification = try APNSStandIn.notification()
        if hasCollapseID { notification.collapseID = try CollapseID("news") }
        let sent = notification
        let isResent = policy == .resend || policy == .resendCollapsible && hasCollapseID
        if isResent {
            let answer = try await client.send(sent)
            #expect(answer.status == 200 && answer.isMaybeDuplicate && answer.attemptCount == 2)
            #expect(ids.withLock { $0 } == [sent.id.text, sent.id.text])
        } else {
            let error = await #expect(throws: ProviderError.self) { try await client.send(sent) }
            guard case .ambiguous(let failure) = error else {
                Issue.record("not ambiguous: \(String(describing: error))")
                return
            }
            #expect(failure.attemptCount == 1)
        }
        await client.close()
        await server.close()
    }

    @Test func `another credential takes over on new connections, and ends a suspension`() async throws {
        let site = try APNSStandIn()
        let server = try await site.serve { push in
            push.connectionNumber == 1 ? push.reject(.invalidProviderToken) : push.accept()
        }
        let client = try site.client(of: server)
        #expect(try await client.send(try APNSStandIn.notification()).reason == .invalidProviderToken)
        #expect(await client.suspension == .invalidProviderToken)
        await #expect(throws: ProviderError.suspended(.invalidProviderToken)) {
            try await client.send(try APNSStandIn.notification())
        }
        try await client.replaceCredential(.token(APNSStandIn.tokens(keyID: "ZZZ123DEFG")))
        #expect(await client.suspension == nil)
        #expect(try await client.send(try APNSStandIn.notification()).status == 200)
        await client.close()
        await server.close()
    }

    @Test func `a GOAWAY that blames the credential suspends the lane, and its reason reaches who waits`() async throws
    {
        let site = try APNSStandIn()
        let held = Guarded<Push?>(nil)
        let server = try await site.serve { push in
            held.withLock { $0 = push }
            push.connection.goAway(code: 0, debugData: Array(#"{"reason":"BadCertificateEnvironment"}"#.utf8))
        }
        let client = try site.client(of: server)
        let batch = try (0..<3).map(APNSStandIn.notification)
        async let sent = client.send(batch)
        while await client.suspension == nil { await Task.yield() }
        held.withLock { $0 }?.accept()
        let results = await sent.dropFirst()
        #expect(results.allSatisfy { $0 == .failure(.suspended(.badCertificateEnvironment)) }, "\(results)")
        await client.close()
        await server.close(gracefully: false)
    }

    @Test func `a server that goes down answers Shutdown, and the push goes to another connection`() async throws {
        let site = try APNSStandIn()
        let server = try await site.serve { push in
            push.connectionNumber == 1 ? push.reject(.shutdown) : push.accept()
        }
        let client = try site.client(of: server)
        let answer = try await client.send(try APNSStandIn.notification())
        #expect(answer.status == 200 && answer.attemptCount == 2 && !answer.isMaybeDuplicate)
        await client.close()
        await server.close()
    }

    @Test func `a connection that is too old is replaced while pushes go on`() async throws {
        let site = try APNSStandIn()
        let numbers = Guarded<Set<Int>>([])
        let server = try await site.serve { push in
            numbers.withLock { _ = $0.insert(push.connectionNumber) }
            push.accept()
        }
        let client = try site.client(of: server) {
            $0.connectionAgeMax = .milliseconds(20)
            $0.idleDeadline = .milliseconds(20)
            $0.backoff.burstCount = 1000
        }
        var number = 0
        while numbers.withLock({ $0.count }) < 3 {
            #expect(try await client.send(try APNSStandIn.notification(number)).status == 200)
            number += 1
        }
        await client.close()
        await server.close()
    }

    @Test func `closing lets those on their way end, and refuses all others`() async throws {
        let site = try APNSStandIn()
        let arrived = Signal()
        let held = Guarded<Push?>(nil)
        let server = try await site.serve { push in
            held.withLock { $0 = push }
            arrived.set()
        }
        let client = try site.client(of: server)
        async let answer = client.send(try APNSStandIn.notification())
        await arrived.wait()
        async let end: Void = client.close()
        while !(await client.isClosed) { await Task.yield() }
        await #expect(throws: ProviderError.closed) { try await client.send(try APNSStandIn.notification(1)) }
        held.withLock { $0 }?.accept()
        #expect(try await answer.status == 200)
        await end
        await server.close()
    }

    @Test func `a server that is silent from the first byte costs the deadline and no more`() async throws {
        let site = try APNSStandIn()
        let port = try HeldPort.silent(backlog: 8)
        let client = try site.client(port: port.number) { $0.connectDeadline = .milliseconds(30) }
        let error = await #expect(throws: ProviderError.self) { try await client.send(try APNSStandIn.notification()) }
        // If the machine stood still, the deadline may pass before there is a connection.
        let causes = [TransportError.deadlineExceeded(.handshake), .deadlineExceeded(.connect)]
        let failures = causes.map { ProviderError.notProcessed(.init(cause: .connection($0), attemptCount: 0)) }
        #expect(error.map(failures.contains) == true, "\(String(describing: error))")
        await client.close()
    }

    @Test func `what has waited until its last moments is not begun: nobody could say what became of it`() async throws
    {
        let site = try APNSStandIn()
        let arrivedCount = Guarded(0)
        let server = try await site.serve { push in
            // Until its answer there is room for one, and another would get none.
            let count = arrivedCount.withLock { count in
                count += 1
                return count
            }
            guard count == 1 else { return }
            push.connection.loop.schedule(after: .milliseconds(1_600)) { push.accept() }
        }
        let client = try site.client(of: server)
        let first = try APNSStandIn.notification(1)
        let second = try APNSStandIn.notification(2)
        let result = Guarded<Result<APNSResponse, ProviderError>?>(nil)
        let ended = Signal()
        await client.loop.run {
            client.send(first, within: .seconds(600)) { _ in }
            client.send(second, within: .seconds(2)) { answer in
                result.withLock { $0 = answer }
                ended.set()
            }
        }
        await ended.wait()
        let failure = SendError(cause: .deadlineExceeded, attemptCount: 0)
        #expect(result.withLock { $0 } == .failure(.notProcessed(failure)))
        #expect(arrivedCount.withLock { $0 } == 1)
        await client.close()
        await server.close()
    }

    @Test func `answers to a stream of pushes come as they come, no more on their way than asked for`() async throws {
        let site = try APNSStandIn()
        let open = Guarded((now: 0, most: 0))
        let server = try await site.serve { push in
            open.withLock { open in
                open.now += 1
                open.most = max(open.most, open.now)
            }
            push.connection.loop.schedule(after: .milliseconds(1)) {
                open.withLock { $0.now -= 1 }
                push.accept()
            }
        }
        let client = try site.client(of: server)
        let notifications = try (0..<200).map(APNSStandIn.notification)
        let source = AsyncStream { continuation in
            for notification in notifications { continuation.yield(notification) }
            continuation.finish()
        }
        var ids: Set<APNSID> = []
        for try await answer in client.responses(to: source, inFlightMax: 10) {
            #expect(try answer.result.get().status == 200)
            ids.insert(answer.id)
        }
        #expect(ids == Set(notifications.map(\.id)))
        #expect(open.withLock { $0.most } <= 10)
        await client.close()
        await server.close()
    }
}
