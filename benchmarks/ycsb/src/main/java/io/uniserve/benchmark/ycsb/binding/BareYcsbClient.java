package io.uniserve.benchmark.ycsb.binding;

import io.uniserve.api.Document;
import io.uniserve.benchmark.floor.BareChannels;
import io.uniserve.benchmark.floor.BareRequest;
import io.uniserve.model.Address;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import site.ycsb.DBException;

/**
 * YCSB binding of bare engine processes, without Uniserve: one, or several among which the hash of a key chooses. A scan asks all of them
 * and merges.
 */
public final class BareYcsbClient extends AbstractYcsbClient {
    private static final String ADDRESSES = "bare.addresses";
    private static final String KEY_FIELD = "bare.key-field";
    /** Field of a text that the Lucene peer indexes. */
    private static final String TEXT = "text";

    private static @Nullable BareChannels shared;
    private static int users;

    private String keyField = "id";

    @Override
    void connect() throws DBException {
        String addresses = getProperties().getProperty(ADDRESSES, "");
        if (addresses.isEmpty()) {
            throw new DBException("property " + ADDRESSES + " is missing: give the addresses of bare engines");
        }
        keyField = getProperties().getProperty(KEY_FIELD, keyField);
        synchronized (BareYcsbClient.class) {
            if (shared == null) {
                shared = new BareChannels(
                        Stream.of(addresses.split(",", -1)).map(Address::parse).toList());
            }
            users++;
        }
    }

    @Override
    void disconnect() {
        synchronized (BareYcsbClient.class) {
            BareChannels known = shared;
            if (--users == 0 && known != null) {
                shared = null;
                known.close();
            }
        }
    }

    private static BareChannels channels() {
        BareChannels known = shared;
        if (known == null) {
            throw new IllegalStateException("init was not called, or cleanup was");
        }
        return known;
    }

    private static int server(String key) {
        return Math.floorMod(key.hashCode() * 0x9e3779b9 >>> 8, channels().servers());
    }

    @Override
    Optional<YcsbRow> readRow(String key, List<String> fields) {
        byte[] reply =
                channels().call(server(key), BareRequest.read(key, fields).encode());
        return BareRequest.decodeReply(reply).stream().findFirst().map(this::row);
    }

    @Override
    List<YcsbRow> scanRows(String from, int limit, List<String> fields) {
        byte[] request = BareRequest.scan(from, limit, fields).encode();
        List<byte[]> replies = channels().call(0, Collections.nCopies(channels().servers(), request));
        List<YcsbRow> rows = new ArrayList<>();
        replies.forEach(reply -> BareRequest.decodeReply(reply).forEach(document -> rows.add(row(document))));
        if (replies.size() > 1) {
            rows.sort(Comparator.comparing(YcsbRow::key));
        }
        return rows.subList(0, Math.min(limit, rows.size()));
    }

    private YcsbRow row(Document document) {
        Map<String, String> fields = new LinkedHashMap<>();
        document.fields().forEach((name, value) -> {
            if (value != null && !name.equals(document.keyField()) && !name.equals(TEXT)) {
                fields.put(name, value.toString());
            }
        });
        return new YcsbRow(String.valueOf(document.fields().get(document.keyField())), fields);
    }

    private Document document(String key, Map<String, String> values, boolean whole) {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        fields.put(keyField, key);
        fields.putAll(values);
        if (whole && Boolean.parseBoolean(getProperties().getProperty("bare.text", "false"))) {
            fields.put(TEXT, key);
        }
        return new Document(keyField, fields);
    }

    private static void send(int server, BareRequest.Kind kind, List<Document> rows) {
        byte[] unused = channels().call(server, BareRequest.update(kind, rows).encode());
    }

    @Override
    boolean updateRow(String key, Map<String, String> fields) {
        send(server(key), BareRequest.Kind.SET, List.of(document(key, fields, false)));
        return true;
    }

    @Override
    void putRows(Map<String, Map<String, String>> rows) {
        Map<Integer, List<Document>> byServer = new LinkedHashMap<>();
        rows.forEach((key, fields) ->
                byServer.computeIfAbsent(server(key), any -> new ArrayList<>()).add(document(key, fields, true)));
        byServer.forEach((server, documents) -> send(server, BareRequest.Kind.PUT, documents));
    }

    @Override
    void deleteRow(String key) {
        send(server(key), BareRequest.Kind.DELETE, List.of(document(key, Map.of(), false)));
    }
}
