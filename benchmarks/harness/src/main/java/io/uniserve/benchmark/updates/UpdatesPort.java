package io.uniserve.benchmark.updates;

import io.uniserve.api.Document;
import io.uniserve.benchmark.overhead.OverheadBench;
import io.uniserve.client.ClientTable;
import io.uniserve.client.UniserveClient;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.port.kv.KvEngine;
import io.uniserve.runtime.port.LoadedPort;
import io.uniserve.runtime.port.PortLoader;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/** Port as measured by {@code bench updates}: its rows, update function, count of rows, and bare engine. */
enum UpdatesPort {
    KV("kv.put@1", "key", "amount") {
        @Override
        LoadedPort loadEngine() {
            return LoadedPort.of(new KvEngine());
        }

        @Override
        String text(long row) {
            return SAME;
        }

        @Override
        void count(UniserveClient client, ClientTable table, long expected) {
            long count = table.all()
                    .retrieve(
                            OverheadBench.COUNT,
                            "",
                            values -> values.stream().mapToLong(Long::longValue).sum());
            check(count == expected, "count is " + count, expected);
        }
    },
    SOLR("solr.add@1", "id", "amount_l") {
        @Override
        LoadedPort loadEngine() {
            return PortLoader.load(Path.of(System.getProperty("uniserve.home", "."), "ports", "solr"), "solr");
        }

        /** Random words, because analyzing and indexing them is most of the work. */
        @Override
        String text(long row) {
            SplittableRandom random = new SplittableRandom(row);
            return random.longs(ROW_BYTES / WORD_CHARS, 0, WORDS)
                    .mapToObj(word -> String.format(Locale.ROOT, "word%03x", word))
                    .collect(Collectors.joining(" "));
        }

        @Override
        void count(UniserveClient client, ClientTable table, long expected) {
            String answer =
                    client.query(table.name(), "q=*:*&rows=0&wt=json").body().utf8();
            check(answer.replace(" ", "").contains("\"numFound\":" + expected + ","), answer, expected);
        }
    };

    private static final int ROW_BYTES = 1_000;
    private static final int WORD_CHARS = 8;
    private static final int WORDS = 4_096;
    private static final String SAME = "x".repeat(ROW_BYTES);

    private final String function;
    private final String key;
    private final String number;

    UpdatesPort(String function, String key, String number) {
        this.function = function;
        this.key = key;
        this.number = number;
    }

    /** The port's name. */
    String port() {
        return name().toLowerCase(Locale.ROOT);
    }

    String function() {
        return function;
    }

    /** The key field of a row. */
    String key() {
        return key;
    }

    /** Creates the engine in this process. */
    abstract LoadedPort loadEngine();

    /** Returns a text of one kilobyte for this row. */
    abstract String text(long row);

    /** Counts all rows of the table. Fails if the number is not the expected one. */
    abstract void count(UniserveClient client, ClientTable table, long expected);

    private static void check(boolean right, String answer, long expected) {
        if (!right) {
            throw new UniserveException(
                    ErrorCode.INTERNAL, "wrong answer: " + answer + ", should be " + expected + " rows");
        }
    }

    /** Returns this many rows with one number each. */
    List<Document> smallRows(int count) {
        return LongStream.range(0, count)
                .mapToObj(i -> new Document(key, Map.of(key, "key-" + i, number, i)))
                .toList();
    }

    /** Returns rows with a text of one kilobyte each, with this many megabytes in total. */
    List<Document> bulkRows(int megabytes) {
        return LongStream.range(0, megabytes * 1_000_000L / ROW_BYTES)
                .mapToObj(i -> new Document(key, Map.of(key, "key-" + i, "text", text(i))))
                .toList();
    }
}
