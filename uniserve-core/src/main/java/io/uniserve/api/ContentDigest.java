package io.uniserve.api;

import java.math.BigInteger;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * Digest over a set of rows that does not depend on their order, for {@link ActorView#digest}: engines store rows in an order that differs
 * between replicas. It is the SHA-256 of the sum of all rows' SHA-256 values and the number of rows.
 *
 * <p>Not thread-safe.
 *
 * <pre>{@code
 * ContentDigest digest = new ContentDigest();
 * counts.forEach((key, count) -> digest.add(key.length() + ":" + key + count));
 * return digest.toBytes();
 * }</pre>
 */
public final class ContentDigest {
    private final MessageDigest sha;
    private BigInteger sum = BigInteger.ZERO;
    private long rows;

    public ContentDigest() {
        try {
            sha = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    /**
     * Adds a row.
     *
     * @param row an encoding of the row that is unique per row
     */
    public void add(byte[] row) {
        sum = sum.add(new BigInteger(1, sha.digest(row)));
        rows++;
    }

    /** Adds a row encoded as UTF-8 text; see {@link #add(byte[])}. */
    public void add(String item) {
        add(item.getBytes(java.nio.charset.StandardCharsets.UTF_8));
    }

    /** Returns the digest of all rows added so far: 32 bytes. */
    public byte[] toBytes() {
        return sha.digest(sum.add(BigInteger.valueOf(rows)).toByteArray());
    }
}
