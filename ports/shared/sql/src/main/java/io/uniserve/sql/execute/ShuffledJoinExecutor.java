package io.uniserve.sql.execute;

import io.uniserve.api.plan.ExplainFormatter;
import io.uniserve.api.plan.PlanContext;
import io.uniserve.api.plan.Shuffle;
import io.uniserve.model.TableName;
import io.uniserve.sql.plan.FragmentedPlan;
import io.uniserve.sql.plan.ShuffleQuery;
import io.uniserve.sql.plan.SqlQuery;
import io.uniserve.sql.rows.SqlRows;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Execution of a shuffled join as a plan of scatters, maps and a gather, with its lines for EXPLAIN. */
final class ShuffledJoinExecutor {
    private final PlanContext context;
    private final SqlShuffleOperators.Calls calls;
    private final List<FragmentedPlan.Side> sides;
    private final Function<FragmentedPlan.Side, TableName> tableNames;

    /** @param names the table of the cluster for each side */
    ShuffledJoinExecutor(
            PlanContext context,
            SqlShuffleOperators.Calls calls,
            List<FragmentedPlan.Side> sides,
            Function<FragmentedPlan.Side, TableName> names) {
        this.context = context;
        this.calls = calls;
        this.sides = List.copyOf(sides);
        this.tableNames = names;
    }

    /** Partial answers, and a line per stage; the last line is that of the gather. */
    record Answer(SqlRows partialRows, List<String> lines) {}

    /** Runs the join. The slots are at the actors of the stationary table. */
    Answer run(SqlQuery query, List<ShuffleQuery.Link> links) {
        ShuffleQuery all = new ShuffleQuery(query, links, links.size());
        FragmentedPlan.Side stays = sides.get(query.stationaryItem());
        TableName at = tableNames.apply(stays);
        List<String> stageDescriptions = new ArrayList<>();
        int first = links.get(0).previousItem();
        Shuffle.Builder stages = Shuffle.scatter(name(first), calls.scatter(), all.forScatter(first));
        stageDescriptions.add(describePartitioning(first, links.get(0).previousColumn()));
        String slots = " in " + context.actors(at).size() + " slots, at the actors of " + stays.table();
        for (int i = 0; i < links.size(); i++) {
            int item = links.get(i).item();
            stages = stages.scatter(name(item), calls.scatter(), all.forScatter(item));
            stageDescriptions.add(describePartitioning(item, links.get(i).column()));
            if (i < links.size() - 1) {
                stages = stages.map(at, calls.join(), all.forJoin(i + 1));
                String joined = all.order().subList(0, i + 2).stream()
                        .map(one -> StageCallRunner.tableLabel(sides.get(one)))
                        .collect(Collectors.joining(", "));
                stageDescriptions.add("joined " + joined + slots + ", and shuffled by "
                        + links.get(i + 1).previousColumn() + ": ");
            }
        }
        Shuffle.Result<SqlRows> result =
                context.shuffle(stages.gather(at, calls.gather(), all).withChunksOnly(), SqlRows::concat);
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < stageDescriptions.size(); i++) {
            lines.add(stageDescriptions.get(i)
                    + ExplainFormatter.formatShuffleStage(result.stages().get(i)));
        }
        SqlRows parts = result.value();
        lines.add("joined" + slots + ": " + StageCallRunner.formatRowCount(parts.count()) + " of "
                + ExplainFormatter.formatShuffleStage(result.stages().get(stageDescriptions.size()))
                + (result.attempts() > 1 ? "; " + result.attempts() + " attempts" : ""));
        return new Answer(parts, lines);
    }

    private TableName name(int item) {
        return tableNames.apply(sides.get(item));
    }

    /** Returns the EXPLAIN text of a scatter, which calls all actors. */
    private String describePartitioning(int item, String column) {
        FragmentedPlan.Side side = sides.get(item);
        return "shuffle " + StageCallRunner.tableLabel(side) + " by " + column + " from "
                + context.actors(tableNames.apply(side)).size() + " actors of " + side.table() + ": ";
    }
}
