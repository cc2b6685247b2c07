private import Glibc
private import NotificationCore
private import NotificationServiceExtension
private import Platform
private import UserNotifications

/// The measured process: takes pushes from a socket and runs an extension on each in turn, with a new object each, as
/// iOS does in a process that it keeps. It asks for the next push when it is idle: the extension's work after its
/// answer counts as its CPU time, and delays no other push.
package enum ExtensionBenchProcess {
    static let end: UInt32 = 0
    private static let readingInterval = 16
    private static let placeholderTitle = "Acme Chat"

    package enum Kind: String {
        case sealedpush
        /// Calls its handler at once with the original content.
        case empty
        /// Calls libsodium as often as one message needs, then its handler.
        case libsodium
    }

    /// - Parameters:
    ///   - descriptor: The socket. It takes a byte when this process is idle, and gives for each push its length (4
    ///     bytes, this machine's order) and its payload.
    ///   - kind: The extension.
    package static func run(descriptor: Int32, kind: Kind) throws(BenchError) -> ExtensionRunReport {
        let input = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var footprint = try FootprintReading()
        var report = ExtensionRunReport()
        var (histogram, cpuHistogram, openedCPU) = (LatencyHistogram(), LatencyHistogram(), LatencyHistogram())
        let cpuBefore = clock_gettime_nsec(CLOCK_PROCESS_CPUTIME_ID)
        var cpuOfReading: UInt64 = 0
        let calls = SodiumCall.opening(bodyByteCount: PushMix.bodyByteCountMax)
        while true {
            WorkerThreads.waitUntilProcessIsIdle()
            let readingStart = clock_gettime_nsec(CLOCK_THREAD_CPUTIME_ID)
            guard let payload = try next(input) else { break }
            let request = try request(payload)
            cpuOfReading += clock_gettime_nsec(CLOCK_THREAD_CPUTIME_ID) - readingStart
            let service =
                switch kind {
                case .sealedpush: PrincipalClass.make()
                case .empty: CallingExtension([])
                case .libsodium: CallingExtension(calls)
                }
            let answer = Answer()
            let start = Reading()
            service.didReceive(request) { content in
                answer.give(Reading(), isOpened: content.title != placeholderTitle)
            }
            let given = answer.wait()
            histogram.add(nanoseconds: given.reading.time - start.time)
            cpuHistogram.add(nanoseconds: given.reading.cpu - start.cpu)
            if given.isOpened { openedCPU.add(nanoseconds: given.reading.cpu - start.cpu) }
            report.pushCount += 1
            report.openedCount += given.isOpened ? 1 : 0
            report.handlerCallCount += answer.count
            if report.pushCount % readingInterval == 0 {
                report.peakByteCount = max(report.peakByteCount, try footprint.byteCount())
            }
        }
        guard report.pushCount > 0 else { throw .operationFailed }
        let cpu = clock_gettime_nsec(CLOCK_PROCESS_CPUTIME_ID) - cpuBefore - cpuOfReading
        report.cpuPerPush = cpu / UInt64(report.pushCount)
        report.median = histogram.quantile(perMille: 500)
        report.p99 = histogram.quantile(perMille: 990)
        report.cpuMedian = cpuHistogram.quantile(perMille: 500)
        report.cpuP99 = cpuHistogram.quantile(perMille: 990)
        report.openedCPUP99 = openedCPU.quantile(perMille: 990)
        report.p999 = histogram.quantile(perMille: 999)
        report.maximum = histogram.maximum
        return report
    }

    private static func next(_ input: FileHandle) throws(BenchError) -> Data? {
        do { try input.write(contentsOf: [0]) } catch { throw .operationFailed }
        guard let head = try read(input, byteCount: 4) else { throw .operationFailed }
        let byteCount = head.reversed().reduce(0 as UInt32) { $0 << 8 | UInt32($1) }
        guard byteCount != end else { return nil }
        guard byteCount <= 4_096, let payload = try read(input, byteCount: Int(byteCount)) else {
            throw .operationFailed
        }
        return payload
    }

    private static func read(_ input: FileHandle, byteCount: Int) throws(BenchError) -> Data? {
        do {
            let data = try input.read(upToCount: byteCount)
            return data?.count == byteCount ? data : nil
        } catch {
            throw .operationFailed
        }
    }

    /// A request as iOS makes it of a payload; every extension pays for it.
    private static func request(_ payload: Data) throws(BenchError) -> UNNotificationRequest {
        let content = UNMutableNotificationContent()
        do {
            let object = try JSONSerialization.jsonObject(with: payload)
            guard let userInfo = object as? [AnyHashable: Any] else { throw BenchError.operationFailed }
            content.userInfo = userInfo
        } catch {
            throw .operationFailed
        }
        content.title = placeholderTitle
        content.body = "You have a new message"
        return UNNotificationRequest(identifier: UUID().uuidString, content: content, trigger: nil)
    }

    fileprivate struct Reading: Sendable {
        let time = clock_gettime_nsec(CLOCK_MONOTONIC)
        let cpu = clock_gettime_nsec(CLOCK_PROCESS_CPUTIME_ID)
    }

    private static func clock_gettime_nsec(_ clock: clockid_t) -> UInt64 {
        var time = timespec()
        _ = unsafe clock_gettime(clock, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}

/// An extension that does nothing else, as the reference.
private final class CallingExtension: UNNotificationServiceExtension {
    private let calls: [SodiumCall]

    init(_ calls: [SodiumCall]) { self.calls = calls }

    override func didReceive(
        _ request: UNNotificationRequest,
        withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
    ) {
        for call in calls { call.run() }
        contentHandler(request.content)
    }
}

/// The first call of a content handler, from any thread, and the number of calls.
private final class Answer: Sendable {
    struct Given: Sendable { let reading: ExtensionBenchProcess.Reading, isOpened: Bool }

    private let calls = Monitored<(first: Given?, count: Int)>((nil, 0))

    var count: Int { calls.change { $0.count } }

    func give(_ reading: ExtensionBenchProcess.Reading, isOpened: Bool) {
        calls.change { calls in
            calls.first = calls.first ?? Given(reading: reading, isOpened: isOpened)
            calls.count += 1
        }
    }

    func wait() -> Given { calls.wait { $0.first } }
}
