package io.uniserve.benchmark.ycsb;

import io.uniserve.api.Document;
import io.uniserve.error.UniserveException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Port as {@code bench ycsb} measures it. */
enum YcsbPort {
    KV("id", "kv.put@1", true, true, "ConcurrentSkipListMap"),
    MONGODB("_id", "mongodb.put@1", true, true, "mongo-java-server (not MongoDB)"),
    DUCKDB("ycsb_key", "duckdb.put@1", true, true, "DuckDB by JDBC"),
    LUCENE("id", "lucene.put@1", false, false, "Lucene IndexWriter and IndexSearcher");

    /** Fields of a row and bytes of a field, as in YCSB's core workloads. */
    static final int FIELDS = 10;

    static final int FIELD_BYTES = 100;

    private final String keyField;
    private final String putFunction;
    private final boolean scans;
    private final boolean numbers;
    private final String engine;

    YcsbPort(String keyField, String putFunction, boolean scans, boolean numbers, String engine) {
        this.keyField = keyField;
        this.putFunction = putFunction;
        this.scans = scans;
        this.numbers = numbers;
        this.engine = engine;
    }

    /** Name of the port in table definitions. */
    String port() {
        return name().toLowerCase(Locale.ROOT);
    }

    String keyField() {
        return keyField;
    }

    String putFunction() {
        return putFunction;
    }

    /** True if the port's language has ranges of keys. */
    boolean scans() {
        return scans;
    }

    /** True if the port has number keys, which tables partitioned by ranges need, and atomic tables. */
    boolean numbers() {
        return numbers;
    }

    /** Name of the engine behind the bare server. */
    String engine() {
        return engine;
    }

    /** Properties of the bare binding. */
    Map<String, String> bareProperties() {
        return Map.of("bare.key-field", keyField, "bare.text", Boolean.toString(this == LUCENE));
    }

    /** Options of a table with number keys that the bench creates itself. */
    Map<String, String> tableOptions() {
        if (this != DUCKDB) {
            return Map.of();
        }
        StringBuilder columns = new StringBuilder(keyField + " bigint");
        for (int i = 0; i < FIELDS; i++) {
            columns.append(", field").append(i).append(" varchar");
        }
        return Map.of("columns", columns.toString());
    }

    /** Returns a row of a bulk insert. */
    Document bulkRow(long key) {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        fields.put(keyField, key);
        for (int i = 0; i < FIELDS; i++) {
            StringBuilder value =
                    new StringBuilder(FIELD_BYTES).append(key).append(':').append(i);
            while (value.length() < FIELD_BYTES) {
                value.append(':').append(Integer.toHexString(value.toString().hashCode()));
            }
            fields.put("field" + i, value.substring(0, FIELD_BYTES));
        }
        return new Document(keyField, fields);
    }

    /** Returns the port with this name. Fails with a message for the option otherwise. */
    static YcsbPort named(String name) {
        for (YcsbPort port : values()) {
            if (port.port().equals(name)) {
                return port;
            }
        }
        throw UniserveException.invalid("--ports has \"" + name + "\": use "
                + String.join(
                        ", ", List.of(values()).stream().map(YcsbPort::port).toList()));
    }
}
