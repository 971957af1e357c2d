package io.uniserve.benchmark.storage;

import io.uniserve.api.Document;
import io.uniserve.api.operator.RetrieveCall;
import io.uniserve.client.ClientTable;
import io.uniserve.codec.Codecs;
import io.uniserve.model.AckLevel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/** Rows of tables of the key-value port, and checks that they are there. Stateless. */
final class StorageRows {
    /** Rows per MiB, about. */
    static final int PER_MEBIBYTE = 1_024;

    private static final String PUT = "kv.put@1";
    private static final Duration UPDATE_DEADLINE = Duration.ofSeconds(10);
    private static final int BATCH = 1_024;
    private static final int TEXT_CHARS = 960;
    private static final RetrieveCall<String, Long> COUNT =
            new RetrieveCall<>("kv.count@1", Codecs.STRING, Codecs.LONG);
    private static final RetrieveCall<String, Long> SUM = new RetrieveCall<>("kv.sum@1", Codecs.STRING, Codecs.LONG);
    private static final RetrieveCall<String, List<Document>> GET =
            new RetrieveCall<>("kv.get@1", Codecs.STRING, Codecs.list(Document.CODEC));

    private StorageRows() {}

    /** Puts rows 0 to {@code count}, of about 1 KiB each, with random text. */
    static void load(ClientTable table, long count) {
        SplittableRandom random = new SplittableRandom(count);
        for (long from = 0; from < count; from += BATCH) {
            List<Map<String, Object>> batch = new ArrayList<>();
            for (long i = from; i < Math.min(count, from + BATCH); i++) {
                batch.add(Map.of("key", key(i), "amount", i, "text", text(random)));
            }
            table.updateDocuments(PUT, batch).run().orThrow();
        }
    }

    /** Puts one small row and returns when every in-sync replica has it, with durability REMOTE also the store. */
    static void put(ClientTable table, long n) {
        table.updateDocuments(PUT, List.of(Map.of("key", key(n), "amount", n)))
                .ack(AckLevel.ISR)
                .deadline(UPDATE_DEADLINE)
                .run()
                .orThrow();
    }

    private static String key(long n) {
        return "k" + n;
    }

    private static String text(SplittableRandom random) {
        StringBuilder text = new StringBuilder(TEXT_CHARS);
        for (int i = 0; i < TEXT_CHARS; i++) {
            text.append((char) ('0' + random.nextInt('z' - '0')));
        }
        return text.toString();
    }

    /** Returns the number of rows. */
    static long count(ClientTable table) {
        return table.all()
                .retrieve(
                        COUNT,
                        "",
                        values -> values.stream().mapToLong(Long::longValue).sum());
    }

    /** True if the table has exactly the rows 0 to {@code count} with their numbers. */
    static boolean isComplete(ClientTable table, long count) {
        long sum = table.all()
                .retrieve(
                        SUM,
                        "amount",
                        values -> values.stream().mapToLong(Long::longValue).sum());
        return count(table) == count && sum == count * (count - 1) / 2;
    }

    /** Returns how many of these rows the table does not have. */
    static long missing(ClientTable table, Collection<Long> rows) {
        long missing = 0;
        for (long n : rows) {
            List<Document> found =
                    table.key(key(n)).retrieve(GET, key(n), values -> values.size() == 1 ? values.get(0) : List.of());
            boolean isThere = found.size() == 1
                    && Long.valueOf(n).equals(found.get(0).fields().get("amount"));
            missing += isThere ? 0 : 1;
        }
        return missing;
    }
}
