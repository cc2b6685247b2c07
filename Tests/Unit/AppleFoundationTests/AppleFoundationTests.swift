import AppleFoundation
import Platform
import Testing

/// Parts of Foundation that extensions use and Linux lacks.
struct AppleFoundationTests {
    @Test func `a rectangle comes back from its dictionary, and from no other`() {
        let rectangle = CGRect(x: 0.25, y: 0.5, width: 1, height: 2)
        let dictionary: CFDictionary = rectangle.dictionaryRepresentation
        #expect(Set(dictionary.keys) == ["X", "Y", "Width", "Height"])
        #expect(CGRect(dictionaryRepresentation: dictionary) == rectangle)
        #expect(CGRect(dictionaryRepresentation: ["X": 1, "Y": 1, "Width": "1", "Height": 1]) == nil)
    }

    @Test func `a setting is kept under key-value coding's name`() throws {
        let suite = UUID().uuidString
        let defaults = try #require(UserDefaults(suiteName: suite))
        defer { defaults.removePersistentDomain(forName: suite) }
        defaults.setValue(7, forKey: "a")
        #expect(defaults.integer(forKey: "a") == 7 && defaults.value(forKey: "a") as? Int == 7)
        defaults.setValue(nil, forKey: "a")
        #expect(defaults.value(forKey: "a") == nil)
    }

    @Test func `the wish to wait for a connection is kept`() {
        let configuration = URLSessionConfiguration.ephemeral
        #expect(!configuration.waitsForConnectivity)
        configuration.waitsForConnectivity = true
        #expect(configuration.waitsForConnectivity && !URLSessionConfiguration.ephemeral.waitsForConnectivity)
        configuration.waitsForConnectivity = false
        #expect(!configuration.waitsForConnectivity)
    }

    @Test func `a run loop is finished when nothing is left in it, or out of time`() async {
        let results = await withCheckedContinuation { continuation in
            Thread {
                let empty = CFRunLoopRunInMode(.defaultMode, 3_600, false)
                let firedCount = Guarded(0)
                let timer = Timer(timeInterval: 0.001, repeats: false) { _ in firedCount.withLock { $0 += 1 } }
                RunLoop.current.add(timer, forMode: .default)
                let served = CFRunLoopRunInMode(.defaultMode, 3_600, false)
                RunLoop.current.add(Timer(timeInterval: 3_600, repeats: false) { _ in }, forMode: .default)
                let waiting = CFRunLoopRunInMode(.defaultMode, 0, false)
                continuation.resume(returning: ([empty, served, waiting], firedCount.withLock { $0 }))
            }
            .start()
        }
        #expect(results.0 == [.finished, .finished, .timedOut] && results.1 == 1)
    }

    @Test func `a Darwin notification reaches its observers on the main queue, by name alone`() async {
        let name = "org.example.\(UUID().uuidString)"
        let heard = Guarded<[String]>([])
        // Any thread may serve the queue.
        let mainQueue = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: mainQueue, value: true)
        let center = CFNotificationCenterGetDarwinNotifyCenter()
        let observer = unsafe UnsafeRawPointer(bitPattern: 8)
        await withCheckedContinuation { continuation in
            unsafe CFNotificationCenterAddObserver(
                center,
                observer,
                { _, pointer, name, object, userInfo in
                    let isBare =
                        unsafe pointer == UnsafeMutableRawPointer(bitPattern: 8) && object == nil && userInfo == nil
                    heard.withLock {
                        $0.append(
                            "\(name?.rawValue ?? "") \(isBare) \(DispatchQueue.getSpecific(key: mainQueue) ?? false)"
                        )
                    }
                    continuation.resume()
                },
                name as CFString,
                nil,
                .deliverImmediately
            )
            CFNotificationCenterPostNotification(center, CFNotificationName("org.example.other"), nil, nil, true)
            CFNotificationCenterPostNotification(
                center,
                CFNotificationName(name as CFString),
                nil,
                ["a": 1],
                true
            )
        }
        #expect(heard.withLock { $0 } == ["\(name) true true"])
        unsafe CFNotificationCenterRemoveObserver(center, observer, CFNotificationName(name), nil)
        CFNotificationCenterPostNotification(center, CFNotificationName(name), nil, nil, true)
        // Behind that post's callbacks, if there were any.
        await withCheckedContinuation { done in DispatchQueue.main.async { done.resume() } }
        #expect(heard.withLock { $0.count } == 1)
    }

    @Test func `a local notification reaches its observers at once, with its user info`() {
        var heard: [Int] = []
        let center = CFNotificationCenterGetLocalCenter()
        let (name, observer) = unsafe (UUID().uuidString, UnsafeRawPointer(bitPattern: 16))
        unsafe CFNotificationCenterAddObserver(
            center,
            observer,
            { _, _, _, _, userInfo in heard.append(userInfo?["a"] as? Int ?? 0) },
            name as CFString,
            nil,
            .deliverImmediately
        )
        CFNotificationCenterPostNotification(center, CFNotificationName(name), nil, ["a": 7], false)
        unsafe CFNotificationCenterRemoveEveryObserver(center, observer)
        CFNotificationCenterPostNotification(center, CFNotificationName(name), nil, ["a": 8], false)
        #expect(heard == [7])
    }

    @Test func `an expiring activity runs its block, and on a device once more when its time is over`() async {
        let calls = Guarded<[Bool]>([])
        await withCheckedContinuation { continuation in
            ProcessInfo.processInfo.performExpiringActivity(withReason: "test") { isExpired in
                calls.withLock { $0.append(isExpired) }
                continuation.resume()
            }
        }
        #expect(calls.withLock { $0 } == [false])

        let (expire, began) = AsyncStream.makeStream(of: (@Sendable () -> Void).self)
        let ended = AsyncStream.makeStream(of: Void.self)
        let device = SimulatedDevice(
            appGroupsPath: nil,
            clock: ContinuousClock(),
            wallClock: { 0 },
            activity: { expired in
                began.yield(expired)
                return { ended.continuation.yield() }
            }
        )
        let running = AsyncStream.makeStream(of: Bool.self)
        let isOver = DispatchSemaphore(value: 0)
        device.run {
            ProcessInfo.processInfo.performExpiringActivity(withReason: "test") { isExpired in
                running.continuation.yield(isExpired)
                if isExpired { isOver.signal() } else { isOver.wait() }
            }
        }
        var states = running.stream.makeAsyncIterator()
        #expect(await states.next() == false)
        for await expired in expire {
            expired()
            break
        }
        #expect(await states.next() == true)
        for await _ in ended.stream { break }
    }

    @Test func `an activity that is refused runs its block once, with the time over`() async {
        let device = SimulatedDevice(
            appGroupsPath: nil,
            clock: ContinuousClock(),
            wallClock: { 0 },
            activity: { expired in
                expired()
                return {}
            }
        )
        let calls = AsyncStream.makeStream(of: Bool.self)
        device.run {
            ProcessInfo.processInfo.performExpiringActivity(withReason: "test") { calls.continuation.yield($0) }
        }
        for await isExpired in calls.stream {
            #expect(isExpired)
            break
        }
    }
}
