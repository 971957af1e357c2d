package io.uniserve.example.embed;

import io.uniserve.api.Document;
import io.uniserve.api.operator.RetrieveCall;
import io.uniserve.client.ClientTable;
import io.uniserve.client.TableSpec;
import io.uniserve.client.UniserveClient;
import io.uniserve.codec.Codecs;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.AckLevel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Example application that writes and reads documents of a key-value table, and checks every number. Arguments: the addresses
 * {@code HOST:PORT[,HOST:PORT]} of servers or coordinators, and optionally the table's name; the default is {@code embedded}.
 * An existing table of this name is dropped. The exit status is 0 if all checks pass, otherwise 1.
 */
public final class Main {
    private static final int DOCUMENTS = 1_000;
    private static final int READS = 100;

    // An operator of a port as its callers know it: its name, and the codecs of its parameter and of its answer.
    private static final RetrieveCall<String, List<Document>> GET =
            new RetrieveCall<>("kv.get@1", Codecs.STRING, Codecs.list(Document.CODEC));
    private static final RetrieveCall<String, Long> COUNT =
            new RetrieveCall<>("kv.count@1", Codecs.STRING, Codecs.LONG);

    private Main() {}

    public static void main(String[] arguments) {
        if (arguments.length < 1 || arguments.length > 2) {
            System.err.println("usage: run.sh HOST:PORT[,HOST:PORT] [TABLE]");
            System.exit(1);
        }
        String name = arguments.length > 1 ? arguments[1] : "embedded";
        try (UniserveClient client = UniserveClient.builder()
                .bootstrap(arguments[0].split(","))
                .deadline(Duration.ofSeconds(20))
                .build()) {
            run(client, name);
        } catch (UniserveException | IllegalStateException e) {
            System.err.println("embedded client: " + e.getMessage());
            System.exit(1);
        }
        System.out.println("embedded client: " + DOCUMENTS + " documents written and read");
    }

    private static void run(UniserveClient client, String name) {
        dropIfThere(client, name);
        client.admin().createTable(TableSpec.named(name).port("kv").hash(8));
        ClientTable table = client.table(name);

        List<Map<String, Object>> documents = new ArrayList<>();
        for (int i = 0; i < DOCUMENTS; i++) {
            documents.add(Map.of("id", key(i), "number", (long) i));
        }
        // Each actor acknowledges separately; orThrow combines the failures of all actors in one exception.
        table.updateDocuments("kv.put@1", documents).ack(AckLevel.ISR).run().orThrow();

        for (int i = 0; i < DOCUMENTS; i += DOCUMENTS / READS) {
            List<Document> found = table.key(key(i)).retrieve(GET, key(i), parts -> parts.get(0));
            check("documents with key " + key(i), 1, found.size());
            check("number of " + key(i), (long) i, found.get(0).fields().get("number"));
        }
        long count = table.all()
                .retrieve(COUNT, "", parts -> parts.stream().mapToLong(Long::longValue).sum());
        check("documents", (long) DOCUMENTS, count);
        client.admin().dropTable(name);
    }

    private static void dropIfThere(UniserveClient client, String name) {
        try {
            client.admin().dropTable(name);
        } catch (UniserveException e) {
            if (e.code() != ErrorCode.TABLE_NOT_FOUND) {
                throw e;
            }
        }
    }

    private static String key(int number) {
        return "key-" + number;
    }

    private static void check(String what, Object expected, Object found) {
        if (!expected.equals(found)) {
            throw new IllegalStateException(what + ": expected " + expected + ", found " + found);
        }
    }
}
