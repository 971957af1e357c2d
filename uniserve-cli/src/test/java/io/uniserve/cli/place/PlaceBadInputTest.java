package io.uniserve.cli.place;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.cli.TestingConsole;
import io.uniserve.cli.TestingConsole.Run;
import io.uniserve.cli.command.ExitCode;
import io.uniserve.placement.model.Assignment;
import io.uniserve.placement.model.ClusterLoad;
import io.uniserve.placement.policy.BalancePolicy;
import io.uniserve.placement.policy.PlacementProposal;
import io.uniserve.placement.policy.SearchBudget;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every misbehaving policy and every invalid or unusual problem through the command: a reason is printed, and the old placement stays. */
class PlaceBadInputTest {
    private static final String MINE = "io.uniserve.cli.place.PlaceBadInputTest$";

    private final TestingConsole uniserve = TestingConsole.alone();

    @TempDir
    Path directory;

    /** Policy that never answers. */
    public static final class Hanging implements BalancePolicy {
        @Override
        public PlacementProposal place(ClusterLoad in, SearchBudget searchBudget) {
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return PlacementProposal.of(in.current());
        }
    }

    /** Policy that leaves the first actor without a host. */
    public static final class Dropping implements BalancePolicy {
        @Override
        public PlacementProposal place(ClusterLoad in, SearchBudget searchBudget) {
            int[] where = new int[in.actors()];
            where[0] = -1;
            return PlacementProposal.of(Assignment.single(where));
        }
    }

    /** Policy that puts all actors on server 0. */
    public static final class Crowding implements BalancePolicy {
        @Override
        public PlacementProposal place(ClusterLoad in, SearchBudget searchBudget) {
            return PlacementProposal.of(Assignment.single(new int[in.actors()]));
        }
    }

    /** Policy whose shares are not numbers. */
    public static final class NoNumbers implements BalancePolicy {
        @Override
        public PlacementProposal place(ClusterLoad in, SearchBudget searchBudget) {
            int[][] hosts = new int[in.actors()][1];
            double[][] shares = new double[in.actors()][1];
            Arrays.stream(shares).forEach(share -> share[0] = Double.NaN);
            return PlacementProposal.of(Assignment.of(hosts, shares));
        }
    }

    /** Policy that proposes nothing. */
    public static final class Nothing implements BalancePolicy {
        @Override
        @SuppressWarnings("NullAway") // on purpose
        public PlacementProposal place(ClusterLoad in, SearchBudget searchBudget) {
            return null;
        }
    }

    private Run place(String text, String... more) throws IOException {
        Path file = directory.resolve("day.txt");
        Files.writeString(file, text);
        String[] words = {
            "place",
            "--instance",
            file.toString(),
            "--out",
            directory.resolve("out").toString()
        };
        String[] all = Arrays.copyOf(words, words.length + more.length);
        System.arraycopy(more, 0, all, words.length, more.length);
        return uniserve.run(all);
    }

    private String placed() throws IOException {
        return String.join(
                " ",
                Files.readAllLines(directory.resolve("out")).stream().skip(1).toList());
    }

    /** Three actors on three servers of two slots. */
    private static String problem(String loads) {
        return "3 3 2 1 1\n0 1 2\n" + loads + "\n1\n0.5 2 0 1\n";
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "Hanging   | the policy did not answer within 300 ms",
                "Dropping  | last replica: actor 0 would lose its last replica, on server 0",
                "Crowding  | capacity: server 0 would use 3.0 of 2.0 memory",
                "NoNumbers | form:",
                "Nothing   | the policy failed"
            })
    void aBadPolicyIsRejectedWithTheReasonAndTheOldPlacementStays(String policy, String reason) throws IOException {
        Run run = place(problem("1 1 1"), "--policy", MINE + policy, "--time-limit", "0.2", "--grace", "0.1");
        assertThat(run.out()).contains("REJECTED");
        assertThat(run.err()).contains(reason);
        assertThat(placed()).isEqualTo("0:1.0 1:1.0 2:1.0");
    }

    @ParameterizedTest
    @ValueSource(strings = {"greedy", "parallelism", "estore", "getafix", "static", "easy", "spread", "balancenum"})
    void zeroLoadMovesNothing(String policy) throws IOException {
        Run run = place(problem("0 0 0"), "--policy", policy);
        assertThat(run.out()).contains("BALANCED");
        assertThat(placed()).isEqualTo("0:1.0 1:1.0 2:1.0");
    }

    @ParameterizedTest
    @ValueSource(strings = {"greedy", "parallelism", "estore", "getafix", "static", "easy", "spread", "balancenum"})
    void wildlyUnequalServersAreServedOrTheReasonIsTold(String policy) throws IOException {
        Run run = place(problem("1 1 1"), "--policy", policy, "--weights", "0.000001,1,1000000");
        assertThat(run.exit()).as(run.err()).isZero();
        assertThat(run.out()).as(run.err()).containsAnyOf("BALANCED", "BEST_EFFORT");
        if (run.out().contains("BEST_EFFORT")) {
            assertThat(run.err()).contains("tolerance");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "NaN 1 1      | line 3: the load of actor 0 is NaN",
                "1 -1 1       | line 3: the load of actor 1 is -1",
                "1 1 Infinity | line 3: the load of actor 2",
                "1 x 1        | line 3: the load of actor 1"
            })
    void loadsThatAreNone(String loads, String reason) throws IOException {
        Run run = place(problem(loads));
        assertThat(run.exit()).isEqualTo(ExitCode.REFUSED);
        assertThat(run.err()).contains(reason);
        assertThat(directory.resolve("out")).doesNotExist();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "3 3 2 1 1;0 1 2;1 1 1;1;0.5 2 1 1 | line 5: shard set 1 has actor 1 twice",
                "3 3 2 1 1;0 1 3;1 1 1;0           | line 2: the server of actor 2",
                "3 3 2 1 1;0 1 2;1 1 1;1;0.5 2 1 7 | line 5: an actor of shard set 1",
                "3 3 2 1 1;0 1 2;1 1 1;1;-1 1 1    | line 5: the frequency of shard set 1",
                "3 3 2 1 1;0 1 2;1 1               | line",
                "3 3 2 1 1;0 1 2;1 1 1;0;left over | line 5",
                "3 3 2 0 1;0 1 2;1 1 1;0           | line 1: the least replicas",
                "-3 3 2 1 1                        | line 1: the number of actors",
                "3 3 2 1 1;0 1 2;1e308 1e308 1e308;0 | line 3: the sum of the loads is not finite",
                "''                                | line 1: the file ends before the number of actors is given",
                "3 3 2 1 0;0 1 2                   | line 1: the number of rounds is 0",
                "3 3 2 1 2;0 1 2;1 1 1;0           | line 4: the file ends before the load of actor 0",
                "3 3 2 1 1;0 1 2;1 1 1;1;NaN 2 0 1 | line 5: the frequency of shard set 1 is NaN",
                "1000000000 3 2 1 1                | line 1: the number of actors is 1000000000"
            })
    void malformedProblemsNameTheLine(String text, String reason) throws IOException {
        Run run = place(text.replace(';', '\n'));
        assertThat(run.exit()).isEqualTo(ExitCode.REFUSED);
        assertThat(run.err()).contains("day.txt, ").contains(reason);
        assertThat(directory.resolve("out")).doesNotExist();
    }

    @Test
    void aFileThatIsNoTextIsRefused() throws IOException {
        Path file = directory.resolve("day.txt");
        Files.write(file, new byte[] {'3', ' ', '3', ' ', (byte) 0xC3, (byte) 0x28});
        Run run = uniserve.run("place", "--instance", file.toString());
        assertThat(run.exit()).isEqualTo(ExitCode.REFUSED);
        assertThat(run.err()).contains("day.txt, line 1").contains("not UTF-8");
    }

    @ParameterizedTest
    @ValueSource(strings = {"NaN", "0,1,1", "1,-1", "1,Infinity", "1e300,1"})
    void weightsThatAreNone(String weights) throws IOException {
        Run run = place(problem("1 1 1"), "--weights", weights);
        assertThat(run.exit()).isEqualTo(ExitCode.USAGE);
        assertThat(run.err()).contains("--weights has");
    }

    @Test
    void moreReplicasThanServersAndMemoryIsBestEffort() throws IOException {
        Run run = place(problem("1 1 1"), "--rf", "9");
        assertThat(run.out()).contains("BEST_EFFORT");
        assertThat(run.err())
                .contains("rf is 9, but there are only 3 servers")
                .contains("3 replicas of each actor need");
    }

    @Test
    void aDuplicateActorInAPlacementIsRefused() throws IOException {
        place(problem("1 1 1"));
        Path out = directory.resolve("out");
        Files.writeString(out, Files.readString(out).replaceFirst("0:1.0", "0:0.5 0:0.5"));
        Run run = uniserve.run(
                "explain",
                "--instance",
                directory.resolve("day.txt").toString(),
                "--placement",
                out.toString(),
                "--actor",
                "0");
        assertThat(run.exit()).isEqualTo(ExitCode.REFUSED);
        assertThat(run.err()).contains("line 2");
    }

    @Test
    void noServersIsInfeasible() throws IOException {
        Run run = place("2 0 4 1 1\n-1 -1\n1 1\n0\n");
        assertThat(run.out()).contains("INFEASIBLE");
        assertThat(run.err()).contains("there are no servers: add one");
    }

    @Test
    void anActorLargerThanAnyServerIsInfeasible() throws IOException {
        Run run = place("2 2 0 1 1\n0 1\n1 1\n0\n");
        assertThat(run.out()).contains("INFEASIBLE");
        assertThat(run.err()).contains("actor 0 needs 1.00000 memory, no server has more than 0");
    }

    @Test
    void anActorHotterThanItsServersTogetherIsBestEffort() throws IOException {
        Run run = place("2 2 1 1 1\n0 1\n9 1\n0\n");
        assertThat(run.out()).contains("BEST_EFFORT");
        assertThat(run.err()).contains("server 0 has load 9.000, its tolerance is");
        assertThat(placed()).isEqualTo("0:1.0 1:1.0");
    }

    @Test
    void theSolverIsNamedWhereItIsMissing() throws IOException {
        Run run = place(problem("1 1 1"), "--policy", "milp");
        assertThat(run.exit()).isNotZero();
        assertThat(run.err()).contains("policy 'milp' needs a solver").contains("solver/lib");
    }

    @Test
    void aDryRunTellsWhatWouldMoveAndWhatItWasLike() throws IOException {
        Run run = place(
                "4 2 4 1 1\n0 0 0 0\n1 1 1 1\n1\n1 2 0 1\n", "--policy", "parallelism", "--actor-bytes", "1048576");
        assertThat(run.lines().get(0)).contains("max was", "contention was", "adds", "MiB moved");
        assertThat(run.lines().get(1).trim().split(" +"))
                .containsSubsequence("0", "BALANCED", "2.000", "0.000", "2.0000", "1.0000", "1.0000", "2", "2");
    }
}
