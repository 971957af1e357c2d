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
import java.util.concurrent.CopyOnWriteArraySet;
import org.apache.solr.core.SolrCore;

/** Apache Solr. Table option: {@code configset}, {@code default} unless given. Queries are planned where it is open. */
public final class SolrEngine implements Engine {
    /** The configset that comes with the port, its uniqueKey and the field that words without one are looked up in. */
    static final String CONFIGSET = "default";

    static final String UNIQUE_KEY = "id";
    static final String DEFAULT_FIELD = "text";

    static final List<Operator<?, ?>> OPERATORS = List.of(ShardOperator.SELECT);
    static final List<UpdateFunction<?, ?>> UPDATES = List.of(SolrUpdates.ADD, SolrUpdates.DELETE);

    /** The open ones: a process has several where several servers run in it. Any can plan. */
    private final Set<SolrInstance> open = new CopyOnWriteArraySet<>();

    @Override
    public PortInfo info() {
        return new PortInfo(
                "solr",
                "1",
                Set.of(ConsistencyLevel.EVENTUAL),
                OPERATORS.stream().map(Operator::id).toList(),
                UPDATES.stream().map(UpdateFunction::id).toList());
    }

    @Override
    public void validate(TableMeta meta) {
        meta.options().forEach((option, value) -> {
            if (!option.equals("configset") || !value.equals(CONFIGSET)) {
                throw UniserveException.invalid(
                        "table option " + option + "=" + value + ": use configset=" + CONFIGSET);
            }
        });
        if (meta.level() != ConsistencyLevel.EVENTUAL) {
            throw UniserveException.invalid("level is " + meta.level() + ": port solr supports EVENTUAL");
        }
        if (!meta.keyField().equals(UNIQUE_KEY)) {
            throw UniserveException.invalid("key field is \"" + meta.keyField() + "\": use \"" + UNIQUE_KEY + '"');
        }
        if (!(meta.partitioner() instanceof Partitioner.Hash)) {
            throw UniserveException.invalid("partitioner: port solr supports hash, for a uniqueKey is a text");
        }
    }

    @Override
    public EngineInstance open(EngineContext context) {
        SolrInstance opened = new SolrInstance(context.scratch());
        open.add(opened);
        return opened;
    }

    @Override
    public Optional<Planner> planner() {
        return Optional.of(new SolrPlanner(this::planning));
    }

    SolrCore planning() {
        open.removeIf(any -> any.planning.isClosed());
        for (SolrInstance any : open) {
            return any.planning;
        }
        throw new UniserveException(ErrorCode.UNAVAILABLE, "Solr is not open in this process; ask a server");
    }
}
