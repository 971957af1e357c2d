package io.uniserve.port.solr;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import org.apache.lucene.document.Document;
import org.apache.lucene.index.IndexableField;
import org.apache.lucene.index.LeafReaderContext;
import org.apache.lucene.index.StoredFields;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.util.Bits;
import org.apache.lucene.util.BytesRef;

/** SHA-256 of every live document's stored fields, joined so that the order of documents and segments does not matter. */
final class ContentDigest {
    private ContentDigest() {}

    static byte[] of(IndexSearcher searcher) throws IOException {
        MessageDigest sha = sha256();
        byte[] sum = new byte[sha.getDigestLength()];
        long documents = 0;
        for (LeafReaderContext leaf : searcher.getIndexReader().leaves()) {
            Bits live = leaf.reader().getLiveDocs();
            StoredFields stored = leaf.reader().storedFields();
            for (int i = 0; i < leaf.reader().maxDoc(); i++) {
                if (live == null || live.get(i)) {
                    add(sum, of(sha, stored.document(i)));
                    documents++;
                }
            }
        }
        sha.update(ByteBuffer.allocate(Long.BYTES).putLong(0, documents));
        return sha.digest(sum);
    }

    private static byte[] of(MessageDigest sha, Document document) {
        for (IndexableField field : document) {
            part(sha, field.name());
            BytesRef binary = field.binaryValue();
            part(sha, binary == null ? field.stringValue() : binary.utf8ToString());
        }
        return sha.digest();
    }

    private static void part(MessageDigest sha, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        sha.update(ByteBuffer.allocate(Integer.BYTES).putInt(0, bytes.length));
        sha.update(bytes);
    }

    /** Sum modulo 2^256. */
    private static void add(byte[] sum, byte[] more) {
        int carry = 0;
        for (int i = sum.length - 1; i >= 0; i--) {
            int digit = (sum[i] & 0xff) + (more[i] & 0xff) + carry;
            sum[i] = (byte) digit;
            carry = digit >>> 8;
        }
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
