package io.uniserve.benchmark.floor;

import io.uniserve.api.Document;
import io.uniserve.codec.Bytes;
import io.uniserve.codec.Codec;
import io.uniserve.codec.Codecs;
import java.util.List;

/**
 * Request to a {@link BareEngineService}.
 *
 * @param key of a read, or first key of a scan; empty for updates
 * @param limit maximum number of documents of a scan
 * @param fields fields of the answer; empty for all
 * @param rows of an update
 */
public record BareRequest(Kind kind, String key, int limit, List<String> fields, List<Document> rows) {
    /** Kind of a request. */
    public enum Kind {
        PUT,
        SET,
        DELETE,
        READ,
        SCAN;

        boolean isUpdate() {
            return this == PUT || this == SET || this == DELETE;
        }
    }

    private static final Codec<List<String>> NAMES = Codecs.list(Codecs.STRING);
    private static final Codec<List<Document>> DOCUMENTS = Codecs.list(Document.CODEC);
    private static final Codec<BareRequest> CODEC = Codecs.of(
            (out, request) -> {
                out.writeInt(request.kind.ordinal()).writeString(request.key).writeInt(request.limit);
                NAMES.write(out, request.fields);
                DOCUMENTS.write(out, request.rows);
            },
            in -> new BareRequest(
                    Kind.values()[in.readInt()], in.readString(), in.readInt(), NAMES.read(in), DOCUMENTS.read(in)));

    public static BareRequest update(Kind kind, List<Document> rows) {
        return new BareRequest(kind, "", 0, List.of(), rows);
    }

    public static BareRequest read(String key, List<String> fields) {
        return new BareRequest(Kind.READ, key, 1, fields, List.of());
    }

    public static BareRequest scan(String from, int limit, List<String> fields) {
        return new BareRequest(Kind.SCAN, from, limit, fields, List.of());
    }

    public byte[] encode() {
        return CODEC.encode(this).toArray();
    }

    static BareRequest decode(byte[] request) {
        return CODEC.decode(Bytes.wrap(request));
    }

    static byte[] encodeReply(List<Document> documents) {
        return DOCUMENTS.encode(documents).toArray();
    }

    /** Returns the documents of a reply to a read or a scan. */
    public static List<Document> decodeReply(byte[] reply) {
        return DOCUMENTS.decode(Bytes.wrap(reply));
    }
}
