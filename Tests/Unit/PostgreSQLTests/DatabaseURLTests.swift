import Testing

@testable import PostgreSQL

struct DatabaseURLTests {
    @Test func `a URL's parts are as libpq reads them, and its description has no password`() throws {
        let url = try DatabaseURL("postgresql://relay:p%40ss@db1:5433,db2:5434/push?sslrootcert=/etc/ca.pem")
        #expect(url.hosts == [.init(name: "db1", port: 5433), .init(name: "db2", port: 5434)])
        #expect(url.parameters["password"] == "p@ss" && url.parameters["sslrootcert"] == "/etc/ca.pem")
        #expect("\(url)" == "db1:5433,db2:5434/push")
        let local = try DatabaseURL("postgresql://relay@%2Frun%2Fpostgresql/push")
        #expect(local.hosts == [.init(name: "/run/postgresql", port: 5432)] && local.hosts[0].isLocal)
    }

    @Test(arguments: [
        ("mysql://relay@db/push", URLProblem.unreadable),
        ("postgresql://relay:%zz@db/push", .unreadable),
        ("postgresql://relay@db/push\0", .unreadable),
        ("host=db user=relay dbname=push", .unreadable),
        ("postgresql://relay@db", .missing("dbname")),
        ("postgresql://db/push", .missing("user")),
        ("postgresql://relay@/push", .missing("host")),
        ("postgresql://relay@db,/push", .missing("host")),
        ("postgresql://relay@db/push?sslmode=require", .insecureMode),
        ("postgresql://relay@db/push?sslmode=disable", .insecureMode),
        ("postgresql://relay@db/push?options=-cfsync%3Doff", .unknownParameter("options")),
        ("postgresql://relay@db/push?hostaddr=10.0.0.1", .unknownParameter("hostaddr")),
        ("postgresql://relay@a,b,c/push?port=1,2", .portCount),
        ("postgresql://relay@db:0/push", .port),
        ("postgresql://relay@db:70000/push", .port),
    ])
    func `a URL with a fault is refused, and the error quotes nothing of it`(_ text: String, _ problem: URLProblem) {
        let error = #expect(throws: PostgreSQLError.self) { try DatabaseURL(text) }
        #expect(error == .broken(.badURL(problem)))
    }
}
