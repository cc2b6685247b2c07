// Pushes with what comes with Java 17. The simulator's address, the key and a device token are in the environment.

import java.io.FileInputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.UUID;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

public class Push {
    /** APNs' answer: a reason unless it is 200, and for a 410 since when, in milliseconds since 1970. */
    record Answer(int status, String id, String reason, String timestamp) {}

    private static final Base64.Encoder BASE64URL = Base64.getUrlEncoder().withoutPadding();

    private final String server;
    private final String keyID;
    private final String teamID;
    private final String topic;
    private final PrivateKey key;
    private final HttpClient client;
    private String bearer;
    private Instant issuedAt = Instant.EPOCH;

    /** One for the life of the process: Apple takes many connections for an attack. */
    Push(String server, String authority, String key, String keyID, String teamID, String topic) throws Exception {
        this.server = server;
        this.keyID = keyID;
        this.teamID = teamID;
        this.topic = topic;
        this.key = readKey(Path.of(key));
        this.client = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_2)
                .sslContext(trusting(authority))
                .build();
    }

    private static PrivateKey readKey(Path file) throws Exception {
        var pem = Files.readString(file);
        var base64 = pem.replaceAll("(?s).*-----BEGIN PRIVATE KEY-----(.*)-----END PRIVATE KEY-----.*", "$1");
        var der = Base64.getMimeDecoder().decode(base64);
        return KeyFactory.getInstance("EC").generatePrivate(new PKCS8EncodedKeySpec(der));
    }

    private static SSLContext trusting(String authority) throws Exception {
        var store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        try (var file = new FileInputStream(authority)) {
            var number = 0;
            for (var certificate : CertificateFactory.getInstance("X.509").generateCertificates(file)) {
                store.setCertificateEntry("authority" + number++, certificate);
            }
        }
        var managers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        managers.init(store);
        var context = SSLContext.getInstance("TLS");
        context.init(null, managers.getTrustManagers(), null);
        return context;
    }

    /** Apple takes it for an hour, and wants a new one every 20 minutes at most. */
    private String token() throws Exception {
        var now = Instant.now();
        if (Duration.between(issuedAt, now).toMinutes() > 40) {
            var header = "{\"alg\":\"ES256\",\"kid\":\"%s\"}".formatted(keyID);
            var claims = "{\"iss\":\"%s\",\"iat\":%d}".formatted(teamID, now.getEpochSecond());
            var signed = BASE64URL.encodeToString(header.getBytes()) + "." + BASE64URL.encodeToString(claims.getBytes());
            // Not "SHA256withECDSA", which writes DER.
            var signature = Signature.getInstance("SHA256withECDSAinP1363Format");
            signature.initSign(key);
            signature.update(signed.getBytes());
            bearer = signed + "." + BASE64URL.encodeToString(signature.sign());
            issuedAt = now;
        }
        return bearer;
    }

    Answer push(String deviceToken, String payload) throws Exception {
        var request = HttpRequest.newBuilder(URI.create("https://" + server + "/3/device/" + deviceToken))
                .header("authorization", "bearer " + token())
                .header("apns-id", UUID.randomUUID().toString())
                .header("apns-push-type", "alert")
                .header("apns-topic", topic)
                .POST(HttpRequest.BodyPublishers.ofString(payload))
                .build();
        var response = client.send(request, HttpResponse.BodyHandlers.ofString());
        var id = response.headers().firstValue("apns-id").orElse("");
        var body = response.body();
        return new Answer(response.statusCode(), id, member("reason", body), member("timestamp", body));
    }

    /** Enough for APNs's answers; your service has a JSON library. */
    private static String member(String name, String json) {
        var match = Pattern.compile("\"" + name + "\":\"?([^\",}]*)").matcher(json);
        return match.find() ? match.group(1) : "";
    }

    /** A back end's action for an answer. */
    static String actOn(Answer answer) {
        if (answer.status() == 200) return "accepted";
        if (answer.status() == 410) {
            return "the app is gone: delete the token, unless it was registered after " + answer.timestamp();
        }
        if (answer.reason().equals("BadDeviceToken")) return "not a token of this environment: do not send again";
        return "not expected";
    }

    private void expect(int status, String reason, String deviceToken) throws Exception {
        var payload = "{\"aps\":{\"alert\":{\"title\":\"Hello\",\"body\":\"from Java\"},\"sound\":\"default\"}}";
        var answer = push(deviceToken, payload);
        System.out.println(answer.status() + " apns-id " + answer.id() + " " + answer.reason() + " " + actOn(answer));
        if (answer.status() != status || !answer.reason().equals(reason)) {
            System.err.println("expected " + status + " " + reason);
            System.exit(1);
        }
    }

    public static void main(String[] arguments) throws Exception {
        var env = System.getenv();
        var provider = new Push(env.get("APNS_SERVER"), env.get("APNS_AUTHORITY"), env.get("APNS_KEY"),
                env.get("APNS_KEY_ID"), env.get("APNS_TEAM_ID"), env.get("APNS_TOPIC"));
        provider.expect(200, "", env.get("DEVICE_TOKEN"));
        provider.expect(400, "BadDeviceToken", "ab".repeat(32));
        if (!env.getOrDefault("GONE_TOKEN", "").isEmpty()) {
            provider.expect(410, "Unregistered", env.get("GONE_TOKEN"));
        }
    }
}
