package io.uniserve.port.druid.segment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.api.ActorContext;
import io.uniserve.api.Document;
import io.uniserve.api.update.UpdateContext;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.OnLoss;
import io.uniserve.model.Partitioner;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.TableMeta;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Segments, rows in memory and their journal. */
class SegmentStoreTest {
    private static final long DAY_MS = 86_400_000;

    private static final TableMeta META = new TableMeta(
            new TableName("t"),
            1,
            new Partitioner.Hash(1),
            "id",
            ConsistencyLevel.EVENTUAL,
            1,
            1,
            OnLoss.WAIT,
            "druid",
            Map.of("maxRowsInMemory", "6", "dataSchema", """
                {"timestampSpec": {"column": "ts", "format": "millis"}, "dimensionsSpec": {"dimensions": ["id"]},
                 "granularitySpec": {"segmentGranularity": "DAY", "queryGranularity": "NONE", "rollup": false}}\
                """));

    @TempDir
    Path directory;

    private ActorContext context(String name) throws IOException {
        return new ActorContext(META, 0, Files.createDirectories(directory.resolve(name)));
    }

    private static Document row(String id, int day) {
        return new Document("id", Map.of("id", id, "ts", day * DAY_MS));
    }

    private static void append(DruidActor actor, Document... rows) {
        DruidUpdateFunctions.APPEND.update(actor, new UpdateContext(1), List.of(rows));
    }

    @Test
    void aMergeSkipsSegmentsThatAreTooLargeTogether() {
        List<Integer> rows = new ArrayList<>(Collections.nCopies(8, 700_000));
        assertThat(SegmentMergePolicy.toMerge(rows)).isEmpty();
        rows.addAll(Collections.nCopies(8, 300_000));
        assertThat(SegmentMergePolicy.toMerge(rows)).containsExactly(2, 3, 4, 5, 6, 7, 8, 9);
        assertThat(SegmentMergePolicy.toMerge(Collections.nCopies(9, 5))).containsExactly(0, 1, 2, 3, 4, 5, 6, 7);
    }

    @Test
    void aCompactedJournalHasTheRowsInMemory() throws IOException {
        DruidActor actor = DruidActor.create(context("one"));
        append(actor, row("kept", 1));
        for (int i = 0; i < 20; i++) {
            append(actor, row("dropped " + i, 2), row("dropped " + i, 3));
            Document both = new Document("id", Map.of("id", "any", "interval", "1970-01-03/1970-01-05"));
            DruidUpdateFunctions.DELETE_EVERYWHERE.update(actor, new UpdateContext(1), List.of(both));
        }
        append(actor, row("last", 3), row("late", 1));
        actor.publish();
        Path checkpoint = Files.createDirectories(directory.resolve("checkpoint"));
        actor.writeTo(checkpoint);
        DruidActor restored = DruidActor.restore(context("two"), checkpoint);
        assertThat(restored.digest()).isEqualTo(actor.digest());
        assertThat(restored.usage().rows()).isEqualTo(3);
        assertThat(Files.size(checkpoint.resolve("pending"))).isLessThan(1_000);
        restored.close();
        actor.close();
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void aDamagedCheckpointLeavesNoFileOpen() throws IOException {
        DruidActor actor = DruidActor.create(context("one"));
        append(actor, row("a", 1), row("b", 1));
        actor.publish();
        Path checkpoint = Files.createDirectories(directory.resolve("checkpoint"));
        actor.writeTo(checkpoint);
        actor.close();
        Files.write(checkpoint.resolve("pending"), new byte[3]);
        assertThatThrownBy(() -> DruidActor.restore(context("two"), checkpoint))
                .isInstanceOfSatisfying(
                        UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CORRUPT));
        assertThat(openFiles()).noneMatch(file -> file.startsWith(directory.toString()));
    }

    private static List<String> openFiles() throws IOException {
        try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
            return descriptors
                    .filter(Files::isSymbolicLink)
                    .map(SegmentStoreTest::target)
                    .toList();
        }
    }

    private static String target(Path link) {
        try {
            return Files.readSymbolicLink(link).toString();
        } catch (IOException e) {
            return ""; // The listing's own descriptor is closed by now.
        }
    }
}
