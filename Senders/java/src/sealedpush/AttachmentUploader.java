package sealedpush;

import java.io.FileNotFoundException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.nio.file.Path;
import java.time.Duration;
import javax.net.ssl.SSLContext;

/** Uploads of sealed attachments by one {@code PUT}, as to a pre-signed URL of S3 (docs/blobs.md). */
public final class AttachmentUploader {
    private final Https https;

    /** Uploads under the JDK's certificate authorities. */
    public AttachmentUploader() {
        this(null, Retry.STANDARD, RelayClient::sleep);
    }

    /** Uploads under the authorities of a PEM file only. */
    public AttachmentUploader(Path authorities) throws FileException {
        this(Https.trusting(authorities), Retry.STANDARD, RelayClient::sleep);
    }

    AttachmentUploader(SSLContext trust, Retry retry, Retry.Sleeper sleeper) {
        https = new Https(trust, Duration.ofMinutes(15), retry, sleeper);
    }

    /**
     * Uploads a sealed file, in constant memory. After a lost connection it starts again.
     *
     * @param url {@code https}, signed by the storage's owner; as secret as a key, so no error has it
     */
    public void put(Path sealed, String url) throws FileException, RelayException, InterruptedException {
        URI address;
        try {
            address = URI.create(url);
        } catch (IllegalArgumentException withTheUrlInItsWords) {
            throw new IllegalArgumentException("not an https URL");
        }
        if (!"https".equals(address.getScheme()) || address.getHost() == null) {
            throw new IllegalArgumentException("not an https URL");
        }
        try {
            var answer = https.send(HttpRequest.newBuilder(address).version(HttpClient.Version.HTTP_1_1)
                    .PUT(HttpRequest.BodyPublishers.ofFile(sealed)).build(), 0);
            switch (answer.statusCode()) {
                case 200, 201, 204 -> {}
                default -> throw new RelayException(answer.statusCode(), RelayException.Problem.NONE);
            }
        } catch (FileNotFoundException missing) {
            throw new FileException(FileException.Reason.NOT_FOUND, sealed);
        }
    }
}
