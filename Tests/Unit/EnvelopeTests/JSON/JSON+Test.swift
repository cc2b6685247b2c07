import Envelope

/// Limits of most tests: integers only, eight levels, room for a large document.
let strict = JSONParser.Limits(byteCountMax: 1 << 20, depthMax: 8, allowsFractions: false)

func accepted(_ text: String, limits: JSONParser.Limits = strict) -> JSONValue.Content? {
    accepted(Array(text.utf8), limits: limits)
}

func accepted(_ bytes: [UInt8], limits: JSONParser.Limits = strict) -> JSONValue.Content? {
    guard case .success(let value) = outcome(bytes, limits: limits) else { return nil }
    return value.content
}

func refused(_ text: String, limits: JSONParser.Limits = strict) -> JSONError? {
    refused(Array(text.utf8), limits: limits)
}

func refused(_ bytes: [UInt8], limits: JSONParser.Limits = strict) -> JSONError? {
    guard case .failure(let error) = outcome(bytes, limits: limits) else { return nil }
    return error
}

private func outcome(_ bytes: [UInt8], limits: JSONParser.Limits) -> Result<JSONValue, JSONError> {
    Result { () throws(JSONError) in try JSONParser.parse(bytes, limits: limits) }
}

/// Documents with every kind of value, escape and white space, all valid.
let validDocuments = [
    #"{"title":"Anna","body":"See you at 8","crit":["title"]}"#,
    "{\"a\" : [ 1 , -2, 0, 9223372036854775807 ] ,\t\"b\":\r\n{ \"c\": { } , \"d\":[ ] } }",
    #"{"true":true,"false":false,"null":null,"":""}"#,
    #"["\"\\\/\b\f\n\r\t\u00e9\u20AC\ud83d\ude00","é€😀","👨‍👩‍👧‍👦🇩🇪e\u0301",[[[[{"deep":[]}]]]]]"#,
    "[-1]",
]
