package io.uniserve.port.solr;

import io.uniserve.api.Engine;
import io.uniserve.api.EngineContext;
import io.uniserve.api.EngineInstance;
import io.uniserve.api.operator.Operator;
import io.uniserve.api.plan.Planner;
import io.uniserve.api.update.UpdateFunction;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.Partitioner;
import io.uniserve.model.PortInfo;
import io.uniserve.model.TableMeta;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Apache Solr. Table option: {@code configset}, {@code default} unless given. */
public final class SolrEngine implements Engine {
    /** The port's name, as tables give it. */
    public static final String NAME = "solr";

    static final List<Operator<?, ?>> OPERATORS = List.of(ShardOperator.SELECT);
    static final List<UpdateFunction<?, ?>> UPDATES = List.of(SolrUpdates.ADD, SolrUpdates.DELETE);

    private volatile @Nullable SolrInstance instance;

    @Override
    public PortInfo info() {
        return new PortInfo(
                NAME,
                "1",
                Set.of(ConsistencyLevel.EVENTUAL),
                OPERATORS.stream().map(Operator::id).toList(),
                UPDATES.stream().map(UpdateFunction::id).toList());
    }

    @Override
    public void validate(TableMeta meta) {
        Configset configset = Configset.of(meta);
        if (meta.level() != ConsistencyLevel.EVENTUAL) {
            throw UniserveException.invalid("level is " + meta.level() + ": port solr supports EVENTUAL");
        }
        if (!meta.keyField().equals(configset.uniqueKey())) {
            throw UniserveException.invalid("key field is \"" + meta.keyField() + "\": use \"" + configset.uniqueKey()
                    + "\", the uniqueKey of configset " + configset.id());
        }
        if (!(meta.partitioner() instanceof Partitioner.Hash)) {
            throw UniserveException.invalid("partitioner: port solr supports hash, for a uniqueKey is a text");
        }
    }

    @Override
    public synchronized EngineInstance open(EngineContext context) {
        SolrInstance opened = SolrInstance.open(context.scratch());
        instance = opened;
        return opened;
    }

    @Override
    public Optional<Planner> planner() {
        return Optional.of(new SolrPlanner(this::running));
    }

    private SolrInstance running() {
        SolrInstance running = instance;
        if (running == null) {
            throw new UniserveException(
                    ErrorCode.UNAVAILABLE,
                    "Solr is not running in this process; send the query to a server that has the port");
        }
        return running;
    }
}
