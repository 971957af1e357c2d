package io.uniserve.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.simulator.check.Violation;
import io.uniserve.simulator.plant.Plant;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The checker finds each planted bug, by a code that belongs to it, within 200 seeds. The search starts at a seed that showed the bug
 * before.
 *
 * <p>With {@code -Pplants} the test searches three times per bug, in 200 seeds each. The median must be below 200, and the test writes the
 * table of docs/benchmarks/simulation.md to {@code target/plants.md}. Two searches run at a time.
 */
@Execution(ExecutionMode.CONCURRENT)
final class PlantTest {
    private static final int SEARCHES = 3;
    private static final boolean MEDIAN = Boolean.getBoolean("uniserve.plants.median");
    /**
     * {@link Plant#COMMIT_UNFENCED}: a later primary has all updates that were voted for, so clients get no wrong result, and only a check
     * of internal state finds the bug, once in hundreds of seeds. Tests of single cases fail without that check.
     */
    private static final String UNSEEN = "COMMIT_UNFENCED";

    /**
     * {@link Plant#FIRST_VERSION_IGNORED}: a manager has to use a version that another one has aborted, with rows of a chunk made in between,
     * within a second. A test of the single case fails without the check of first versions.
     */
    private static final String UNSEEN_IN_CHUNKS = "FIRST_VERSION_IGNORED";

    private static final int SEEDS_MAX = 200;
    private static final long FIRST_SEED = 10_000;
    private static final ConcurrentSkipListMap<Plant, String> TABLE = new ConcurrentSkipListMap<>();

    /** Result of a search. */
    private record Search(int tried, Set<String> codes) {
        private boolean found() {
            return !codes.isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Plant.class,
            names = {"NONE", UNSEEN, UNSEEN_IN_CHUNKS},
            mode = EnumSource.Mode.EXCLUDE)
    void everyPlantedBugIsCaught(Plant plant) {
        if (MEDIAN) {
            median(plant);
        } else {
            Search search = search(plant, knownSeed(plant));
            assertThat(search.found())
                    .as("%s shows by %s within %s seeds from %s on", plant, plant.codes(), SEEDS_MAX, knownSeed(plant))
                    .isTrue();
        }
    }

    /** The planted bugs that the protocol requires (docs/protocol.md, section 9). */
    @Test
    void theNineOfTheProtocolAreAmongThem() {
        assertThat(List.of(
                        Plant.ABORT_ON_MISSING_RECORD, // abort on missing record
                        Plant.OWN_VERSION_COUNTERS, // per-client version counters: managers assign versions here
                        Plant.FENCE_SKIPPED, // no fence
                        Plant.ATTEMPTS_ADDED_UP, // double-counted shuffle retry
                        Plant.UNVERSIONED_SHUFFLE, // unversioned shuffle read
                        Plant.LEARNER_EARLY, // learner added early
                        Plant.NO_DEDUPLICATION, // no deduplication
                        Plant.SKIPPED_FSYNC, // skipped fsync
                        Plant.SHRINK_WITHOUT_CAS)) // ISR shrink without CAS
                .hasSize(9)
                .allSatisfy(plant -> assertThat(plant.codes()).isNotEmpty());
    }

    private static void median(Plant plant) {
        List<Search> searches = new ArrayList<>();
        for (int number = 0; number < SEARCHES; number++) {
            searches.add(search(plant, FIRST_SEED + (long) number * SEEDS_MAX + 1));
        }
        List<Integer> sorted = searches.stream()
                .map(search -> search.found() ? search.tried() : Integer.MAX_VALUE)
                .sorted()
                .toList();
        TreeSet<String> codes = new TreeSet<>();
        searches.forEach(search -> codes.addAll(search.codes()));
        TABLE.put(
                plant,
                String.format(
                        Locale.ROOT,
                        "| `%s` | %s | %s | %s | %s |",
                        plant.label(),
                        searches.stream().map(PlantTest::told).collect(Collectors.joining(", ")),
                        sorted.get(SEARCHES / 2) == Integer.MAX_VALUE ? "none" : sorted.get(SEARCHES / 2),
                        String.join(", ", new TreeSet<>(plant.codes())),
                        String.join(", ", codes)));
        assertThat(sorted.get(SEARCHES / 2))
                .as("seeds until %s showed by %s: %s", plant, plant.codes(), searches)
                .isLessThan(SEEDS_MAX);
    }

    private static String told(Search search) {
        return search.found() ? String.valueOf(search.tried()) : "over " + SEEDS_MAX;
    }

    @AfterAll
    static void tell() throws IOException {
        if (MEDIAN) {
            List<String> lines = new ArrayList<>(List.of(
                    "| bug | seeds until it showed, three searches | median | codes that belong to it | codes seen"
                            + " then |",
                    "|---|---|---|---|---|"));
            lines.addAll(TABLE.values());
            Files.write(Path.of("target", "plants.md"), lines);
        }
    }

    /**
     * A disk that is lost while the others are down is rare: a minute has too few of them. So are restorations of tables with data to lose.
     */
    private static int seconds(Plant plant) {
        if (plant.losesActors()) {
            return 100;
        }
        return plant == Plant.UNCHECKED_INTACT_REPORT ? 180 : 60;
    }

    /** A seed that showed the bug when the table was last made. After any other change of histories it is as good as any seed. */
    private static long knownSeed(Plant plant) {
        return switch (plant) {
            case ATTEMPTS_ADDED_UP, LEARNER_EARLY, LEASE_IGNORED -> FIRST_SEED + 4;
            case UNCHECKED_INTACT_REPORT -> FIRST_SEED + 18;
            case CONFIRM_SKIPPED,
                    CUT_APART,
                    CUT_UNCONFIRMED,
                    DOUBTS_IGNORED,
                    FLIGHTS_LEFT,
                    GREEDY_DROP,
                    SNAPSHOT_BY_PLACE,
                    VOTES_UNFENCED -> FIRST_SEED + 2;
            case CUT_ONE_LOOK, RESTORED_APART -> FIRST_SEED + 3;
            case SKIPPED_FSYNC -> FIRST_SEED + 5;
            case DELETION_UNMARKED -> FIRST_SEED + 9;
            case FENCE_SKIPPED -> FIRST_SEED + 33;
            case BATCH_NOT_REPLACED, STORED_LATER -> FIRST_SEED + 38;
            default -> FIRST_SEED + 1;
        };
    }

    private static Search search(Plant plant, long first) {
        Simulation simulation = new Simulation(SimulationOptions.defaults()
                .withFaultSeconds(seconds(plant))
                .with(plant)
                .with(plant.workload()));
        for (int tried = 1; tried <= SEEDS_MAX; tried++) {
            long seed = first + tried - 1;
            TreeSet<String> codes = simulation.run(seed, seed).failed().stream()
                    .flatMap(report -> report.violations().stream())
                    .map(Violation::invariant)
                    .collect(Collectors.toCollection(TreeSet::new));
            if (!Collections.disjoint(codes, plant.codes())) {
                return new Search(tried, codes);
            }
        }
        return new Search(SEEDS_MAX, Set.of());
    }
}
