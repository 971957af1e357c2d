package io.uniserve.aws.s3;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.io.ByteArrayInputStream;
import java.util.Base64;
import java.util.Map;
import software.amazon.awssdk.core.sync.RequestBody;

/**
 * One put of an object.
 *
 * @param key key without the location's prefix
 * @param fullKey key in the bucket
 * @param body the encoded object
 * @param id random id of this put
 * @param digest digest of key and content
 */
record ObjectPut(String key, String fullKey, byte[] body, String id, String digest) {
    /** Most bytes of an object, without its header. */
    static final long BYTES_MAX = 1L << 30;

    private static final String PUT_ID = "uniserve-put";
    private static final String DIGEST = "uniserve-sha256";

    /**
     * A put of these data.
     *
     * @throws UniserveException TOO_LARGE for more than {@link #BYTES_MAX}
     */
    static ObjectPut of(S3Location location, String key, Bytes data, String id) {
        if (data.size() > BYTES_MAX) {
            throw new UniserveException(
                    ErrorCode.TOO_LARGE,
                    "object " + key + " has " + data.size() + " bytes: at most " + BYTES_MAX + " are stored");
        }
        byte[] body = ObjectEnvelope.encode(key, data);
        return new ObjectPut(key, location.fullKey(key), body, id, ObjectEnvelope.digestOf(body));
    }

    /** Metadata by which the object is known again. */
    Map<String, String> metadata() {
        return Map.of(PUT_ID, id, DIGEST, digest);
    }

    /** True if an object with these metadata is this put's, or has the same content. */
    boolean matches(Map<String, String> found) {
        return id.equals(found.get(PUT_ID)) || digest.equals(found.get(DIGEST));
    }

    /** A part of the body that can be sent again. */
    RequestBody part(int from, int length) {
        return RequestBody.fromContentProvider(
                () -> new ByteArrayInputStream(body, from, length), length, "application/octet-stream");
    }

    /** Checksum of a part of the body, as S3 wants it. */
    String checksum(int from, int length) {
        var sha = ObjectEnvelope.sha256();
        sha.update(body, from, length);
        return Base64.getEncoder().encodeToString(sha.digest());
    }
}
