package import APNS
package import Envelope
package import PushStore
import ServiceParts

/// Attempt in the log. No member can hold a device token, payload or key.
package struct AttemptLogLine: Equatable, Sendable {
    package let timeMilliseconds: Int64
    package let trace: Trace
    package let traceContext: TraceContext?
    package let id: APNSID
    package let topic: Topic
    package let pushType: PushType
    package let priority: Priority?
    /// HTTP's; nil without an answer.
    package let status: Int?
    package let reason: Reason?
    package let failure: AttemptResult.Failure?
    package let milliseconds: Int64
    /// 1 or more.
    package let attempt: Int

    package init(
        timeMilliseconds: Int64,
        trace: Trace,
        traceContext: TraceContext? = nil,
        id: APNSID,
        topic: Topic,
        pushType: PushType,
        priority: Priority?,
        status: Int?,
        reason: Reason?,
        failure: AttemptResult.Failure? = nil,
        milliseconds: Int64,
        attempt: Int
    ) {
        self.timeMilliseconds = timeMilliseconds
        self.trace = trace
        self.traceContext = traceContext
        self.id = id
        self.topic = topic
        self.pushType = pushType
        self.priority = priority
        self.status = status
        self.reason = reason
        self.failure = failure
        self.milliseconds = milliseconds
        self.attempt = attempt
    }

    package var json: [UInt8] {
        var text: [UInt8] = []
        append(to: &text)
        return text
    }

    /// No member has characters that JSON escapes: no line can forge another.
    package func append(to text: inout [UInt8]) {
        text.append(word: #"{"time":""#)
        ISODateTime.append(milliseconds: timeMilliseconds, to: &text)
        text.append(word: status == 200 ? #"","level":"info""# : #"","level":"warning""#)
        text.append(word: #","event":"attempt","trace":""#)
        trace.appendText(to: &text)
        if let traceContext {
            text.append(word: #"","traceparent":""#)
            text.append(contentsOf: traceContext.text.utf8)
        }
        text.append(word: #"","apns-id":""#)
        id.appendText(to: &text)
        text.append(word: #"","topic":""#)
        text.append(contentsOf: topic.bytes)
        text.append(word: #"","push-type":""#)
        text.append(contentsOf: pushType.headerValue)
        text.append(word: #"","priority":"#)
        text.append(decimal: UInt64((priority ?? .immediate).rawValue))
        if let status {
            text.append(word: #","status":"#)
            text.append(decimal: UInt64(clamping: status))
        }
        if let reason {
            text.append(word: #","reason":""#)
            text.append(contentsOf: reason.rawValue.utf8)
            text.append(word: "\"")
        }
        if let failure {
            text.append(word: #","failure":""#)
            text.append(contentsOf: failure.rawValue.utf8)
            text.append(word: "\"")
        }
        text.append(word: #","milliseconds":"#)
        text.append(decimal: UInt64(clamping: milliseconds))
        text.append(word: #","attempt":"#)
        text.append(decimal: UInt64(clamping: attempt))
        text.append(word: "}\n")
    }
}

extension [UInt8] {
    fileprivate mutating func append(word: StaticString) {
        unsafe append(contentsOf: UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount))
    }

    fileprivate mutating func append(decimal number: UInt64) {
        var unit: UInt64 = 1
        while number / unit >= 10 { unit *= 10 }
        while unit > 0 {
            append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number / unit % 10))
            unit /= 10
        }
    }
}
