package io.uniserve.port.solr;

import io.uniserve.api.ActorContext;
import io.uniserve.api.ActorFactory;
import io.uniserve.api.Engine;
import io.uniserve.api.EngineContext;
import io.uniserve.api.EngineFunctions;
import io.uniserve.api.EngineInstance;
import io.uniserve.api.EngineSwitch;
import io.uniserve.api.extra.ActorFileLinker;
import io.uniserve.api.extra.BroadcastUpdate;
import io.uniserve.api.extra.PackedFilesCodec;
import io.uniserve.api.plan.Planner;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.PortInfo;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.port.solr.query.OpenEngineRegistry;
import io.uniserve.port.solr.query.OptionsKeyedCache;
import io.uniserve.port.solr.table.TableOptionValidator;
import io.uniserve.port.solr.table.UniqueKeyLocationCheck;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.solr.core.CoreContainer;
import org.apache.solr.core.CoreDescriptor;
import org.apache.solr.core.SolrCore;
import org.apache.solr.core.SolrXmlConfig;
import org.apache.solr.schema.StrField;

/**
 * Engine Apache Solr. Table options: {@code configset}, {@code default} or packed files, and {@code maxBooleanClauses}. Queries are planned
 * on servers that have it open.
 */
public final class SolrEngine implements Engine {
    private static final EngineFunctions FUNCTIONS = new EngineFunctions(
                    List.of(SolrQuery.SHARD),
                    List.of(
                            SolrUpdateFunctions.ADD,
                            SolrUpdateFunctions.DELETE,
                            SolrUpdateFunctions.DELETE_ID,
                            SolrUpdateFunctions.DELETE_BY_QUERY,
                            SolrUpdateFunctions.OPTIMIZE,
                            SolrUpdateFunctions.ADD_EVERYWHERE))
            .withWholeQuery(SolrQuery.WHOLE)
            .withDifferingReplicas()
            .withTextKeys();
    private final OpenEngineRegistry<Instance> open = new OpenEngineRegistry<>(any -> any.container.isShutDown());

    @Override
    public PortInfo info() {
        return FUNCTIONS.info("solr", "2", Set.of(ConsistencyLevel.values()));
    }

    @Override
    public void validate(TableMeta meta) {
        TableOptionValidator.requireHashPartitioner(meta, "a uniqueKey is a text");
        var schema = SolrConfigset.FILES.validate(BroadcastUpdate.withoutOption(meta), SolrErrorMapper.CLAUSES_OPTION);
        clauses(meta);
        var key = schema.getUniqueKeyField();
        if (key == null || !(key.getType() instanceof StrField)) {
            throw UniserveException.invalid("the schema's uniqueKey must be a field of type solr.StrField");
        }
        UniqueKeyLocationCheck.checkOption(meta, key.getName());
        var spread = schema.getFieldOrNull(meta.keyField());
        if (spread == null || spread.multiValued()) {
            throw UniserveException.invalid("the schema has no field \"" + meta.keyField() + "\" of one value");
        }
    }

    private static int clauses(TableMeta meta) {
        return TableOptionValidator.intOption(
                meta, SolrErrorMapper.CLAUSES_OPTION, Limits.QUERY_CLAUSES_DEFAULT, 1, Limits.QUERY_CLAUSES_MAX);
    }

    @Override
    public void validateChange(TableMeta before, TableMeta now) {
        SolrConfigset.FILES.validateChange(before, now);
    }

    @Override
    public List<EngineSwitch> switches() {
        return ClosedParts.SWITCHES;
    }

    @Override
    public EngineInstance open(EngineContext context) {
        Instance opened = open.add(new Instance(context.scratch().toAbsolutePath()));
        return FUNCTIONS.instance(opened, opened.container::shutdown);
    }

    @Override
    public Optional<Planner> planner() {
        return Optional.of(OptionsKeyedCache.planner(
                this::planning,
                (core, table, query, context) -> SolrErrorMapper.SOLR.call(
                        "plan the query", () -> new SolrQuery(context, table, core).answer(query.text()))));
    }

    OptionsKeyedCache<SolrCore> planning() {
        return open.anyOpen().planning;
    }

    /** Core container of one server: one core per actor, and one empty core per configset, on which queries are planned. */
    private static final class Instance implements ActorFactory<SolrActor> {
        private final Path home;
        private final CoreContainer container;
        private final AtomicLong names = new AtomicLong();
        private final OptionsKeyedCache<SolrCore> planning = new OptionsKeyedCache<>(
                table -> core(table, Path.of("planning-" + names.incrementAndGet())),
                core -> core.getCoreContainer().unload(core.getName(), false, false, true));

        Instance(Path home) {
            // Solr's second HTTP API needs a servlet container, and there is none.
            System.setProperty("disable.v2.api", "true");
            ClosedParts.setProperties();
            System.setProperty("solr.install.dir", home.toString());
            this.home = home;
            container = new CoreContainer(
                    SolrXmlConfig.fromString(home, PackedFilesCodec.readResource(SolrEngine.class, "solr.xml")));
            container.load();
        }

        /** Opens the index in {@code directory/data/index}, relative to home unless absolute, or creates an empty one. */
        private synchronized SolrCore core(TableMeta table, Path directory) {
            return SolrErrorMapper.SOLR.call("create a core", () -> {
                String configset = SolrConfigset.FILES.createFolder(table.options(), home.resolve("configsets"));
                Map<String, String> properties = Map.of(
                        CoreDescriptor.CORE_CONFIGSET, configset, SolrErrorMapper.CLAUSES_OPTION, "" + clauses(table));
                return ClosedParts.checked(container.create(
                        "core-" + names.incrementAndGet(), home.resolve(directory), properties, false));
            });
        }

        @Override
        public SolrActor create(ActorContext context) {
            SolrCore core = core(context.meta(), context.scratch().toAbsolutePath());
            return new SolrActor(container, core.getName(), context, null);
        }

        @Override
        public SolrActor restore(ActorContext context, Path directory) {
            Path index = context.scratch().resolve("data").resolve("index");
            return ActorFileLinker.openLinked(directory, index, () -> create(context));
        }
    }
}
