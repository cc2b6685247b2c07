import Testing

@testable import Transport

@Suite struct HTTPPlacesTests {
    @Test func `places are counted in all and for each address`() {
        var places = HTTPPlaces(countMax: 3, countPerNetworkMax: 2)
        places.enter("192.0.2.1")
        places.enter("192.0.2.1")
        #expect(!places.admits("192.0.2.1") && places.admits("192.0.2.2"))
        places.enter("192.0.2.2")
        #expect(!places.admits("192.0.2.3"))
        places.leave("192.0.2.1")
        #expect(places.admits("192.0.2.1") && places.count == 2)
    }

    @Test func `a network of IPv6 counts as one address`() {
        var places = HTTPPlaces(countMax: 9, countPerNetworkMax: 1)
        places.enter("2001:db8::1")
        #expect(!places.admits("2001:db8::ffff:2") && places.admits("2001:db8:0:1::1"))
        places.leave("2001:db8::1")
        #expect(places.admits("2001:db8::2"))
    }
}
