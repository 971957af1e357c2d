package io.uniserve.protocol.server.trash;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.codec.Bytes;
import io.uniserve.limit.Limits;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.TableName;
import io.uniserve.model.TrashEntry;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Environment;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.server.config.TrashConfig;
import io.uniserve.protocol.testing.TestingDisk;
import io.uniserve.protocol.testing.TestingLoop;
import io.uniserve.protocol.testing.TestingNetwork;
import io.uniserve.protocol.testing.TestingRegistry;
import io.uniserve.protocol.testing.TestingStore;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** The trash on disk: crashes at every step, its bounds, and descriptions that cannot be read. */
class TrashFolderTest {
    private static final ReplicaKey KEY = new ReplicaKey(7, 3);
    private static final TableName TABLE = new TableName("words");
    private static final List<String> FILES =
            List.of("state", "log/00000000000000000001.seg", "checkpoint/5-1/manifest");
    private static final long DAY_MS = 86_400_000;
    private static final long MILLI = 1_000_000;
    private static final long STEP = 25_000;
    private static final int STEPS = 40;

    private final TestingLoop loop = new TestingLoop();
    private final TestingDisk disk = new TestingDisk(loop);
    private long ids = 100;

    @SuppressWarnings("NullAway")
    private TrashFolder trash(TrashConfig config) {
        Environment env = new Environment(
                loop,
                loop,
                new TestingNetwork(loop),
                new TestingRegistry(loop, new TestingStore()),
                disk,
                null,
                null,
                () -> ++ids);
        return new TrashFolder(env, config, MILLI);
    }

    private TrashFolder trash() {
        return trash(new TrashConfig(DAY_MS, Long.MAX_VALUE, 1_000_000, "the registry", false));
    }

    private TrashFolder loaded(TrashFolder trash) {
        List<String> done = new ArrayList<>();
        trash.load(() -> done.add("loaded"));
        assertThat(loop.runUntil(() -> !done.isEmpty(), 10_000 * MILLI)).isTrue();
        return trash;
    }

    private void live(ReplicaKey key) {
        FILES.forEach(file -> disk.put(key + "/" + file, Bytes.utf8(key + file).toArray()));
    }

    private Outcome<Done> put(TrashFolder trash, ReplicaKey key) {
        List<Outcome<Done>> done = new ArrayList<>();
        trash.put(key, TABLE.value(), 4, 99, "no table has\nnumber 7", done::add);
        assertThat(loop.runUntil(() -> !done.isEmpty(), 10_000 * MILLI)).isTrue();
        return done.get(0);
    }

    private List<String> whole(String folder) {
        return FILES.stream().map(file -> folder + "/" + file).sorted().toList();
    }

    @Test
    void entryTellsWhatItIsAfterARestart() {
        live(KEY);
        TrashFolder first = loaded(trash());
        assertThat(put(first, KEY)).isInstanceOf(Outcome.Ok.class);
        TrashEntry entry = first.all().get(0);
        assertThat(entry.keptUntilMs()).isEqualTo(entry.trashedMs() + DAY_MS);
        assertThat(entry.bytes())
                .isEqualTo(
                        whole(KEY.toString()).stream().mapToInt(String::length).sum() - FILES.size());
        TrashFolder second = loaded(trash());
        assertThat(second.all())
                .singleElement()
                .usingRecursiveComparison()
                .ignoringFields("reason")
                .isEqualTo(entry);
        assertThat(second.all().get(0).reason()).isEqualTo("no table has number 7");
        assertThat(second.find(KEY, TABLE)).isNotNull();
        assertThat(second.find(KEY, new TableName("other"))).isNull();
        assertThat(second.usage()).isEqualTo(new TrashFolder.Usage(1, entry.bytes()));
    }

    @Test
    void replicaIsWholeInOnePlaceWhereverAMoveIsCutOff() {
        TreeSet<String> ends = new TreeSet<>();
        for (int step = 0; step < STEPS; step++) {
            disk.wipe("");
            live(KEY);
            TrashFolder trash = loaded(trash());
            trash.put(KEY, TABLE.value(), 4, 99, "why", done -> {});
            loop.run(step * STEP);
            disk.crash(0);
            List<TrashEntry> found = loaded(trash()).all();
            if (found.isEmpty()) {
                assertThat(disk.files("")).isEqualTo(whole(KEY.toString()));
                ends.add("in its place");
            } else {
                String folder = "trash/" + found.get(0).id();
                assertThat(disk.files(KEY + "/")).isEmpty();
                assertThat(disk.files(folder + "/replica/")).isEqualTo(whole(folder + "/replica"));
                assertThat(found).singleElement().extracting(TrashEntry::table).isEqualTo("words");
                ends.add("in the trash");
            }
        }
        assertThat(ends).containsExactly("in its place", "in the trash");
    }

    @Test
    void replicaIsWholeInOnePlaceWhereverARestorationIsCutOff() {
        TreeSet<String> ends = new TreeSet<>();
        for (int step = 0; step < STEPS; step++) {
            disk.wipe("");
            live(KEY);
            TrashFolder trash = loaded(trash());
            put(trash, KEY);
            trash.restore(trash.all().get(0), done -> {});
            loop.run(step * STEP);
            disk.crash(0);
            List<TrashEntry> found = loaded(trash()).all();
            if (found.isEmpty()) {
                assertThat(disk.files("")).isEqualTo(whole(KEY.toString()));
                ends.add("in its place");
            } else {
                String folder = "trash/" + found.get(0).id() + "/replica";
                assertThat(disk.files(folder + "/")).isEqualTo(whole(folder));
                assertThat(disk.files(KEY + "/")).isEmpty();
                ends.add("in the trash");
            }
        }
        assertThat(ends).containsExactly("in its place", "in the trash");
    }

    @Test
    void deletionThatIsCutOffLeavesAllOrNothing() {
        TreeSet<Integer> ends = new TreeSet<>();
        for (int step = 0; step < STEPS; step++) {
            disk.wipe("");
            live(KEY);
            TrashFolder trash = loaded(trash());
            put(trash, KEY);
            trash.purge(trash.all().get(0), "a test", done -> {});
            loop.run(step * STEP);
            disk.crash(0);
            List<TrashEntry> found = loaded(trash()).all();
            assertThat(disk.files("")).hasSize(found.isEmpty() ? 0 : FILES.size() + 1);
            ends.add(found.size());
        }
        assertThat(ends).containsExactly(0, 1);
    }

    @Test
    void entryWithoutAReadableDescriptionIsKept() {
        live(KEY);
        TrashFolder trash = loaded(trash());
        put(trash, KEY);
        String id = trash.all().get(0).id();
        disk.put("trash/" + id + "/about", new byte[] {1, 2, 3});
        assertThat(loaded(trash()).all()).singleElement().satisfies(entry -> {
            assertThat(entry.id()).isEqualTo(id);
            assertThat(entry.key()).isEqualTo(KEY);
            assertThat(entry.table()).isEmpty();
        });
        disk.wipe("trash/" + id + "/about");
        assertThat(loaded(trash()).all()).hasSize(1);
        assertThat(disk.files("trash/" + id + "/replica/")).hasSize(FILES.size());
    }

    @Test
    void entriesGoWhenTheirTimeIsOver() {
        live(KEY);
        TrashFolder trash = loaded(trash(new TrashConfig(5_000, Long.MAX_VALUE, 1_000_000, "the registry", false)));
        put(trash, KEY);
        loop.run(4_900 * MILLI);
        trash.tick();
        loop.run(MILLI);
        assertThat(trash.all()).hasSize(1);
        loop.run(200 * MILLI);
        trash.tick();
        loop.run(MILLI);
        assertThat(trash.all()).isEmpty();
        assertThat(disk.files("")).isEmpty();
    }

    @Test
    void wallClockThatJumpsDeletesNothingAtTheStart() {
        live(KEY);
        put(loaded(trash()), KEY);
        TrashFolder later = loaded(trash(new TrashConfig(DAY_MS, 1, 1_000_000 + 400 * DAY_MS, "the registry", false)));
        later.tick();
        loop.run((Limits.TRASH_KEPT_MS_MIN - 60_000) * MILLI);
        later.tick();
        loop.run(MILLI);
        assertThat(later.all()).hasSize(1);
        loop.run(120_000 * MILLI);
        later.tick();
        loop.run(MILLI);
        assertThat(later.all()).isEmpty();
    }

    @Test
    void oldestGoWhileTheTrashIsTooLarge() {
        TrashFolder trash = loaded(trash(new TrashConfig(DAY_MS, 150, 1_000_000, "the registry", false)));
        for (int actor = 0; actor < 4; actor++) {
            ReplicaKey key = new ReplicaKey(7, actor);
            live(key);
            put(trash, key);
            loop.run(1_000 * MILLI);
        }
        assertThat(trash.usage().bytes()).isGreaterThan(150);
        trash.tick();
        loop.run(MILLI);
        assertThat(trash.all()).as("none goes within an hour").hasSize(4);
        loop.run(Limits.TRASH_KEPT_MS_MIN * MILLI);
        trash.tick();
        loop.run(MILLI);
        assertThat(trash.usage().bytes()).isLessThanOrEqualTo(150).isPositive();
        assertThat(trash.all())
                .extracting(entry -> entry.key().actor())
                .endsWith(3)
                .doesNotContain(0);
    }

    @Test
    void emptyPlaceLeavesNoEntry() {
        TrashFolder trash = loaded(trash());
        assertThat(put(trash, KEY)).isInstanceOf(Outcome.Ok.class);
        assertThat(trash.all()).isEmpty();
        assertThat(disk.files("")).isEmpty();
    }

    @Test
    void fullDiskKeepsTheReplicaInItsPlace() {
        live(KEY);
        TrashFolder trash = loaded(trash());
        disk.full(true);
        assertThat(put(trash, KEY)).isInstanceOf(Outcome.Err.class);
        assertThat(disk.files("")).isEqualTo(whole(KEY.toString()));
        disk.full(false);
        assertThat(put(trash, KEY)).isInstanceOf(Outcome.Ok.class);
        assertThat(trash.all()).hasSize(1);
    }
}
