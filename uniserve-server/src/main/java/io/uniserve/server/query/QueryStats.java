package io.uniserve.server.query;

import io.uniserve.api.plan.Answer;
import io.uniserve.api.plan.Answer.Effort;
import io.uniserve.api.plan.ExplainFormatter;
import io.uniserve.api.plan.PlanContext.ReadStats;
import io.uniserve.api.plan.Shuffle;
import io.uniserve.codec.Bytes;
import io.uniserve.model.ServerId;
import io.uniserve.protocol.client.query.Query;
import io.uniserve.protocol.client.query.QueryResult;
import io.uniserve.runtime.port.PortBuildId;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Statistics of one query's rounds: its effort, the figures for planners that explain their own steps, and the steps if the host
 * explains them. The planner's thread records each round once.
 */
final class QueryStats {
    private final boolean explaining;
    private final List<String> steps = new ArrayList<>();
    private Effort effort = Effort.NONE;
    private ReadStats readStats = ReadStats.NONE;

    /** @param explains whether the caller requests the steps; else they are not recorded */
    QueryStats(boolean explains) {
        this.explaining = explains;
    }

    boolean isExplaining() {
        return explaining;
    }

    Effort effort() {
        return effort;
    }

    /** Cost of retrieves since the last call. */
    ReadStats takeReadStats() {
        ReadStats since = readStats;
        readStats = ReadStats.NONE;
        return since;
    }

    /**
     * Records the end of a retrieve.
     *
     * @param all number of actors of the table
     * @param how text to append to the step, such as {@code " beside orders"}
     */
    void recordRetrieve(Query asked, int all, QueryResult result, String how, long nanos) {
        QueryResult.Stats stats = result.stats();
        effort = effort.plus(new Effort(stats.requests(), stats.retries(), stats.hedges()));
        ReadStats one = new ReadStats(
                result.parts().stream().mapToLong(Bytes::size).sum(),
                stats.servers().stream().map(ServerId::value).collect(Collectors.toCollection(TreeSet::new)));
        readStats = readStats.plus(one);
        if (explaining) {
            int actors = asked.actors().map(List::size).orElse(all);
            String operator = PortBuildId.withoutBuild(asked.operator());
            steps.add(ExplainFormatter.formatStep(
                    ExplainFormatter.formatOperatorCall("retrieve", operator, actors, all, asked.table()) + how,
                    one,
                    nanos));
        }
    }

    /** Records the end of a shuffle. */
    void recordShuffle(Shuffle<?, ?> plan, Shuffle.Result<?> result, Effort spent, long nanos) {
        effort = effort.plus(spent);
        if (!explaining) {
            return;
        }
        int last = result.stages().size() - 1;
        for (int i = 0; i < last; i++) {
            boolean map = !plan.scatters().get(i).inputs().isEmpty();
            steps.add(stage(map ? "map" : "scatter", result.stages().get(i)));
        }
        String attempts = result.attempts() > 1 ? "; " + result.attempts() + " attempts" : "";
        steps.add(ExplainFormatter.formatStep(
                stage("gather", result.stages().get(last)) + attempts, ReadStats.NONE, nanos));
    }

    private static String stage(String kind, Shuffle.Stage stage) {
        return ExplainFormatter.formatOperatorCall(
                        kind, stage.operator(), stage.actors(), stage.actors(), stage.table())
                + ": " + ExplainFormatter.formatShuffleStage(stage);
    }

    /** Records a restart of the plan. */
    void recordRestart() {
        if (explaining) {
            steps.add("restarted: the states of its rounds were gone");
        }
    }

    /** Returns the steps, followed by the answer. */
    Answer explanation(String answer, long nanos) {
        return new Answer(
                "text/plain",
                Bytes.utf8(String.join("\n", steps) + (steps.isEmpty() ? "" : "\n")
                        + ExplainFormatter.formatStep(answer, ReadStats.NONE, nanos) + "\n"));
    }
}
