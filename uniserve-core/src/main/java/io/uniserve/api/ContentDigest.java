package io.uniserve.api;

import java.math.BigInteger;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * A digest over rows in any order, for {@link Actor#digest()}: engines keep rows in an order that differs between
 * replicas. The SHA-256 of the sum of each row's SHA-256 and their number. Not safe for use by several threads.
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

    /** Adds one row, as bytes that tell it from every other. */
    public void add(byte[] row) {
        sum = sum.add(new BigInteger(1, sha.digest(row)));
        rows++;
    }

    /** As {@link #add(byte[])}, of a text's UTF-8. */
    public void add(String item) {
        add(item.getBytes(java.nio.charset.StandardCharsets.UTF_8));
    }

    /** The digest of the rows added so far. */
    public byte[] toBytes() {
        return sha.digest(sum.add(BigInteger.valueOf(rows)).toByteArray());
    }
}
