import Envelope
import Transport

extension Service {
    /// What the program runs.
    package static let standardParts: ServicePartsFactory = { base throws(ServiceError) in
        [HTTP2Front(base.context, base.loaded, HealthApplication())]
    }
}

/// Says that the service runs, and nothing else.
final class HealthApplication: HTTPApplication {
    func begin(_ head: HTTPHead) -> HTTPBeginning {
        guard head.path.elementsEqual("/v1/health".utf8) else {
            return .answer(Self.answer(Problem(.notFound, "There is no such path.").response))
        }
        guard head.method.elementsEqual("GET".utf8) else {
            var problem = Problem(.methodNotAllowed, "Use GET.")
            problem.allow = ["GET"]
            return .answer(Self.answer(problem.response))
        }
        var writer = JSONWriter()
        writer.object { $0.member("status", "ok") }
        return .answer(Self.answer(.json(200, writer.bytes)))
    }

    private static func answer(_ response: APIResponse) -> HTTPAnswer {
        var fields = HeaderBlock()
        for field in response.fields { fields.append(Array(field.name.utf8), Array(field.value.utf8)) }
        return HTTPAnswer(status: response.status, fields: fields, body: response.body)
    }
}
