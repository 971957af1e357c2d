package io.uniserve.port.solr;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.api.Document;
import io.uniserve.codec.BinaryWriter;
import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ReplicaKey;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.EngineHost.Update;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.runtime.engine.PortEngineHost;
import io.uniserve.runtime.port.LoadedPort;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Damaged checkpoint of a real core: the server's host reports CORRUPT, and never restores an actor from it. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class DamagedCheckpointTest {
    private static final String CHECKPOINT = "t1-a0/c1/data";
    private static final int WHOLE_FILES_BYTES = 1_024;
    private static final int SAMPLES = 24;

    private Path files;
    private PortEngineHost host;
    private Bytes digest;
    private int restored;

    @BeforeAll
    void checkpoint(@TempDir Path directory) throws Exception {
        host = new PortEngineHost(
                directory.resolve("files"),
                directory.resolve("scratch"),
                Map.of("solr", LoadedPort.of(new SolrEngine())),
                Map.of(),
                2,
                Runnable::run,
                fatal -> {});
        ReplicaKey key = key();
        Outcomes.<Done>value(done -> host.create(key, LocalTable.meta(1), done));
        apply(key, SolrUpdateFunctions.ADD.id(), Europarl.documents(120));
        apply(key, SolrUpdateFunctions.ADD.id(), Europarl.documents(10));
        apply(key, SolrUpdateFunctions.DELETE.id(), Europarl.documents(3));
        digest = Outcomes.value(done -> host.digest(key, done));
        Outcomes.<Done>value(done -> host.checkpoint(key, CHECKPOINT, done));
        files = directory.resolve("files").resolve(CHECKPOINT);
    }

    @AfterAll
    void close() {
        host.close();
    }

    private ReplicaKey key() {
        return new ReplicaKey(1, restored++);
    }

    private void apply(ReplicaKey key, String function, List<Document> documents) throws Exception {
        BinaryWriter rows = new BinaryWriter().writeInt(documents.size());
        documents.forEach(document -> Document.CODEC.write(rows, document));
        Outcomes.<Done>value(done -> host.apply(key, List.of(new Update(1, function, rows.toBytes())), true, done));
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> all = Files.list(files)) {
            return all.sorted().toList();
        }
    }

    private void refused(String what) throws Exception {
        ReplicaKey key = key();
        Outcome<Done> outcome = Outcomes.of(done -> host.restore(key, LocalTable.meta(1), CHECKPOINT, done));
        assertThat(outcome).as(what).isInstanceOf(Outcome.Err.class);
        UniserveException error = ((Outcome.Err<Done>) outcome).error();
        assertThat(error.code()).as(what + ": " + error.getMessage()).isEqualTo(ErrorCode.CORRUPT);
        assertThat(host.pin(key)).as(what).isEmpty();
    }

    private void unharmed() throws Exception {
        ReplicaKey key = key();
        Outcomes.<Done>value(done -> host.restore(key, LocalTable.meta(1), CHECKPOINT, done));
        assertThat(Outcomes.<Bytes>value(done -> host.digest(key, done))).isEqualTo(digest);
        Outcomes.<Done>value(done -> host.destroy(key, done));
    }

    @Test
    void everyFileWithFlippedBytes() throws Exception {
        assertThat(files()).hasSizeGreaterThan(10);
        for (Path file : files()) {
            byte[] whole = Files.readAllBytes(file);
            int step = whole.length <= WHOLE_FILES_BYTES ? 1 : whole.length / SAMPLES;
            for (int at :
                    IntStream.iterate(0, i -> i < whole.length, i -> i + step).toArray()) {
                byte[] flipped = whole.clone();
                flipped[at] ^= (byte) (1 << at % 8);
                Files.write(file, flipped);
                refused(file.getFileName() + " at " + at);
            }
            Files.write(file, whole);
        }
        unharmed();
    }

    @Test
    void everyFileCutLongerOrGone() throws Exception {
        for (Path file : files()) {
            byte[] whole = Files.readAllBytes(file);
            for (int length : new int[] {0, whole.length / 2, whole.length - 1, whole.length + 1}) {
                Files.write(file, Arrays.copyOf(whole, length));
                refused(file.getFileName() + " with " + length + " bytes");
            }
            Files.delete(file);
            refused(file.getFileName() + " gone");
            Files.write(file, whole);
        }
        unharmed();
    }

    @Test
    void twoFilesInEachOthersPlace() throws Exception {
        List<Path> all = files();
        for (int i = 1; i < all.size(); i++) {
            byte[] one = Files.readAllBytes(all.get(i - 1));
            byte[] other = Files.readAllBytes(all.get(i));
            Files.write(all.get(i - 1), other);
            Files.write(all.get(i), one);
            refused(all.get(i) + " and the one before");
            Files.write(all.get(i - 1), one);
            Files.write(all.get(i), other);
        }
        unharmed();
    }

    /** Outcomes of the host's operations. */
    private static final class Outcomes {
        static <T> Outcome<T> of(Consumer<Completion<T>> operation) throws Exception {
            CompletableFuture<Outcome<T>> outcome = new CompletableFuture<>();
            operation.accept(outcome::complete);
            return outcome.get(30, TimeUnit.SECONDS);
        }

        static <T> T value(Consumer<Completion<T>> operation) throws Exception {
            Outcome<T> outcome = of(operation);
            if (outcome instanceof Outcome.Ok<T> ok) {
                return ok.value();
            }
            throw ((Outcome.Err<T>) outcome).error();
        }
    }
}
