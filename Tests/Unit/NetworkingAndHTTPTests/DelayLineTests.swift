import Testing

@testable import Bench
@testable import Networking

@Suite struct DelayLineTests {
    private let start = MonotonicTime(nanoseconds: 1_000_000_000)

    private func after(_ milliseconds: Int) -> MonotonicTime {
        start + .milliseconds(milliseconds)
    }

    private func take(_ line: inout DelayLine, at time: MonotonicTime, atMost byteCountMax: Int = .max) -> [UInt8] {
        var taken: [UInt8] = []
        line.deliver(at: time) { bytes in
            taken = Array(copying: bytes.extracting(first: min(bytes.count, byteCountMax)))
            return taken.count
        }
        return taken
    }

    @Test func `nothing comes before its time, and everything in order`() {
        var line = DelayLine(delay: .milliseconds(20), byteCountMax: 100)
        line.append([1, 2].span, at: start)
        line.append([3].span, at: after(5))
        #expect(line.nextDue == after(20))
        let early = MonotonicTime(nanoseconds: after(20).nanoseconds - 1)
        #expect(take(&line, at: early) == [])
        #expect(take(&line, at: after(20)) == [1, 2])
        #expect(line.nextDue == after(25))
        line.append([4].span, at: after(25))
        #expect(take(&line, at: after(100)) == [3, 4])
        #expect(line.nextDue == nil)
    }

    @Test func `what does not go on stays in front`() {
        var line = DelayLine(delay: .milliseconds(1), byteCountMax: 100)
        line.append([1, 2, 3].span, at: start)
        line.append([4].span, at: after(5))
        #expect(take(&line, at: after(1), atMost: 1) == [1])
        #expect(line.hasDueBytes == true)
        #expect(take(&line, at: after(2)) == [2, 3])
        #expect(line.hasDueBytes == false)
        #expect(take(&line, at: after(6)) == [4])
    }

    @Test func `there is room for so much and no more, and none behind an end`() {
        var line = DelayLine(delay: .milliseconds(1), byteCountMax: 3)
        line.append([1, 2].span, at: start)
        #expect(line.room == 1)
        line.append([3].span, at: start)
        #expect(line.room == 0)
        #expect(take(&line, at: after(1)) == [1, 2, 3])
        #expect(line.room == 3)
        line.append(.closed, at: after(1))
        #expect(line.room == 0)
    }

    @Test func `an end comes behind all bytes, in its own time`() {
        var line = DelayLine(delay: .milliseconds(10), byteCountMax: 100)
        line.append([1].span, at: start)
        line.append(.closed, at: after(1))
        #expect(line.end(at: after(11)) == nil)
        #expect(take(&line, at: after(10)) == [1])
        #expect(line.nextDue == after(11))
        #expect(line.end(at: after(10)) == nil)
        #expect(line.end(at: after(11)) == .closed)
    }

    @Test func `who has closed may break, and who broke stays broken`() {
        var line = DelayLine(delay: .milliseconds(10), byteCountMax: 100)
        line.append(.closed, at: start)
        line.append(.reset, at: after(5))
        line.append(.closed, at: after(6))
        #expect(line.end(at: after(14)) == nil)
        #expect(line.end(at: after(15)) == .reset)
    }
}
