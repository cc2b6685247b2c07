package import APNS
package import Envelope

/// One line of the log for each attempt: what an operator needs to follow a push, and nothing that leads to a person. There
/// is no member that could hold a device token, a payload or a key.
package struct AttemptLogLine: Equatable, Sendable {
    /// Milliseconds since 1970.
    package let timeMilliseconds: Int64
    package let trace: Trace
    package let id: APNSID
    package let topic: Topic
    package let pushType: PushType
    package let priority: Priority?
    /// HTTP's; nil: there was no answer.
    package let status: Int?
    package let reason: Reason?
    /// From the request to the answer or to its failure.
    package let milliseconds: Int64
    /// 1 or more.
    package let attempt: Int

    package init(
        timeMilliseconds: Int64,
        trace: Trace,
        id: APNSID,
        topic: Topic,
        pushType: PushType,
        priority: Priority?,
        status: Int?,
        reason: Reason?,
        milliseconds: Int64,
        attempt: Int
    ) {
        self.timeMilliseconds = timeMilliseconds
        self.trace = trace
        self.id = id
        self.topic = topic
        self.pushType = pushType
        self.priority = priority
        self.status = status
        self.reason = reason
        self.milliseconds = milliseconds
        self.attempt = attempt
    }

    /// One JSON object and a line feed. Every text is of our own types' alphabets, so no line can begin another.
    package var json: [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("time", ISODateTime.text(milliseconds: timeMilliseconds))
            writer.member("event", "attempt")
            writer.member("trace", trace.text)
            writer.member("apns-id", id.description)
            writer.member("topic", topic.description)
            writer.member("push-type", pushType.rawValue)
            writer.member("priority", (priority ?? .immediate).rawValue)
            if let status { writer.member("status", status) }
            if let reason { writer.member("reason", reason.rawValue) }
            writer.member("milliseconds", max(0, milliseconds))
            writer.member("attempt", attempt)
        }
        return writer.bytes + [UInt8(ascii: "\n")]
    }
}
