package io.uniserve.port.druid.runtime;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.databind.AnnotationIntrospector;
import com.fasterxml.jackson.databind.InjectableValues;
import com.fasterxml.jackson.databind.Module;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.smile.SmileFactory;
import com.fasterxml.jackson.dataformat.smile.SmileGenerator;
import com.google.inject.Guice;
import com.google.inject.Injector;
import com.google.inject.Key;
import com.google.inject.TypeLiteral;
import io.uniserve.api.EngineSwitch;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.druid.guice.BuiltInTypesModule;
import org.apache.druid.guice.DruidScopes;
import org.apache.druid.guice.ExpressionModule;
import org.apache.druid.guice.LazySingleton;
import org.apache.druid.guice.annotations.Json;
import org.apache.druid.initialization.DruidModule;
import org.apache.druid.jackson.DefaultObjectMapper;
import org.apache.druid.java.util.emitter.EmittingLogger;
import org.apache.druid.java.util.emitter.core.NoopEmitter;
import org.apache.druid.java.util.emitter.service.ServiceEmitter;
import org.apache.druid.js.JavaScriptConfig;
import org.apache.druid.math.expr.ExprMacroTable;
import org.apache.druid.math.expr.ExpressionProcessing;
import org.apache.druid.query.DefaultGenericQueryMetricsFactory;
import org.apache.druid.query.GenericQueryMetricsFactory;
import org.apache.druid.query.InlineDataSource;
import org.apache.druid.query.LookupDataSource;
import org.apache.druid.query.aggregation.datasketches.hll.HllSketchModule;
import org.apache.druid.query.aggregation.datasketches.kll.KllSketchModule;
import org.apache.druid.query.aggregation.datasketches.quantiles.DoublesSketchModule;
import org.apache.druid.query.aggregation.datasketches.theta.SketchModule;
import org.apache.druid.query.aggregation.datasketches.tuple.ArrayOfDoublesSketchModule;
import org.apache.druid.query.lookup.LookupExtractorFactoryContainerProvider;
import org.apache.druid.query.lookup.LookupSerdeModule;
import org.apache.druid.segment.DefaultColumnFormatConfig;
import org.apache.druid.segment.IndexIO;
import org.apache.druid.segment.IndexMergerV9;
import org.apache.druid.segment.InlineSegmentWrangler;
import org.apache.druid.segment.LookupSegmentWrangler;
import org.apache.druid.segment.MapSegmentWrangler;
import org.apache.druid.segment.SegmentWrangler;
import org.apache.druid.segment.column.ColumnConfig;
import org.apache.druid.segment.join.InlineJoinableFactory;
import org.apache.druid.segment.join.JoinableFactory;
import org.apache.druid.segment.join.JoinableFactoryWrapper;
import org.apache.druid.segment.join.LookupJoinableFactory;
import org.apache.druid.segment.join.MapJoinableFactory;
import org.apache.druid.segment.writeout.OffHeapMemorySegmentWriteOutMediumFactory;

/**
 * Druid's services of one process, built without Druid's injector: mappers with the sketch extension, expression macros, lookups, joins, and
 * the query types for planners and for actors.
 *
 * <p>Thread-safe. One object per class loader, see {@link #get}, because Druid has static registries of types.
 *
 * <pre>{@code
 * DruidServices services = DruidServices.get();
 * Query<?> query = services.json().readValue(text, Query.class);
 * QueryToolChest<?, ?> toolChest = services.brokerFactories().conglomerate().getToolChest(query);
 * }</pre>
 */
public final class DruidServices {
    /** Setting of JavaScript, as Druid's property names it. */
    public static final EngineSwitch JAVASCRIPT = new EngineSwitch(
            "druid.javascript.enabled", "false", "filters, aggregators, extractions and parsers of type javascript");

    private final JavaScriptConfig javaScript = new JavaScriptConfig(Boolean.parseBoolean(JAVASCRIPT.value()));
    private final LookupScope lookups = new LookupScope();
    private final ServiceEmitter emitter = new ServiceEmitter("uniserve", "localhost", new NoopEmitter());
    private final ObjectMapper json;
    private final ObjectMapper smile;
    private final ExprMacroTable macros;
    private final JoinableFactory joinables;
    private final JoinableFactoryWrapper joinableWrapper;
    private final SegmentWrangler wrangler;
    private final QueryFactories broker;
    private final QueryFactories dataNode;
    private final IndexIO indexIo;
    private final IndexMergerV9 merger;

    private static final class Holder {
        private static final DruidServices INSTANCE = new DruidServices();
    }

    private DruidServices() {
        ExpressionProcessing.initializeForTests();
        EmittingLogger.registerEmitter(emitter);
        BuiltInTypesModule.registerHandlersAndSerde();
        joinables = new MapJoinableFactory(
                Set.of(new InlineJoinableFactory(), new LookupJoinableFactory(lookups)),
                Map.of(
                        InlineJoinableFactory.class, InlineDataSource.class,
                        LookupJoinableFactory.class, LookupDataSource.class));
        joinableWrapper = new JoinableFactoryWrapper(joinables);
        wrangler = new MapSegmentWrangler(Map.of(
                InlineDataSource.class, new InlineSegmentWrangler(),
                LookupDataSource.class, new LookupSegmentWrangler(lookups)));
        json = new DefaultObjectMapper();
        SmileFactory factory = new SmileFactory();
        factory.configure(SmileGenerator.Feature.ENCODE_BINARY_AS_7BIT, false);
        smile = new DefaultObjectMapper(
                (JsonFactory) factory.configure(SmileGenerator.Feature.WRITE_END_MARKER, false), "uniserve");
        List<DruidModule> extensions = List.of(
                new SketchModule(),
                new HllSketchModule(),
                new DoublesSketchModule(),
                new KllSketchModule(),
                new ArrayOfDoublesSketchModule());
        macros = macroTable(extensions);
        List<Module> modules = new ArrayList<>(BuiltInTypesModule.getJacksonModulesList());
        modules.addAll(new LookupSerdeModule().getJacksonModules());
        extensions.forEach(extension -> modules.addAll(extension.getJacksonModules()));
        for (ObjectMapper mapper : List.of(json, smile)) {
            mapper.registerModules(modules);
            mapper.setInjectableValues(injected(mapper));
            mapper.setAnnotationIntrospectors(
                    mapper.getSerializationConfig().getAnnotationIntrospector(),
                    AnnotationIntrospector.pair(
                            new InjectedValueGuard(),
                            mapper.getDeserializationConfig().getAnnotationIntrospector()));
        }
        indexIo = new IndexIO(json, ColumnConfig.DEFAULT);
        merger = new IndexMergerV9(json, indexIo, OffHeapMemorySegmentWriteOutMediumFactory.instance(), true);
        Path spill = spillDirectory();
        broker = new QueryFactories(json, smile, spill);
        dataNode = new QueryFactories(json, smile, spill);
    }

    /** The services of this process; builds them at the first call. */
    public static DruidServices get() {
        return Holder.INSTANCE;
    }

    private static Path spillDirectory() {
        try {
            return Files.createTempDirectory("uniserve-druid-spill");
        } catch (IOException e) {
            throw new UniserveException(
                    ErrorCode.IO, "cannot make a directory for spill files in java.io.tmpdir: " + e.getMessage(), e);
        }
    }

    private ExprMacroTable macroTable(List<DruidModule> extensions) {
        List<com.google.inject.Module> modules = new ArrayList<>(extensions);
        modules.add(new ExpressionModule());
        modules.add(binder -> {
            binder.bindScope(LazySingleton.class, DruidScopes.SINGLETON);
            binder.bind(ObjectMapper.class).toInstance(json);
            binder.bind(ObjectMapper.class).annotatedWith(Json.class).toInstance(json);
            binder.bind(LookupExtractorFactoryContainerProvider.class).toInstance(lookups);
        });
        modules.add(binder ->
                ExpressionModule.addExprMacro(binder, org.apache.druid.query.expression.LookupExprMacro.class));
        Injector injector = Guice.createInjector(modules);
        List<ExprMacroTable.ExprMacro> all =
                new ArrayList<>(injector.getInstance(Key.get(new TypeLiteral<Set<ExprMacroTable.ExprMacro>>() {})));
        all.removeIf(macro -> macro.name().equals(BoundedRegexpReplace.NAME));
        all.add(new BoundedRegexpReplace());
        BoundedFunctionMacro.NAMES.forEach(name -> all.add(new BoundedFunctionMacro(name)));
        return new ExprMacroTable(all);
    }

    private InjectableValues injected(ObjectMapper mapper) {
        return new InjectableValues.Std()
                .addValue(ExprMacroTable.class, macros)
                .addValue(ObjectMapper.class, mapper)
                .addValue(JavaScriptConfig.class, javaScript)
                .addValue(JoinableFactoryWrapper.class, joinableWrapper)
                .addValue(LookupExtractorFactoryContainerProvider.class, lookups)
                .addValue(GenericQueryMetricsFactory.class, DefaultGenericQueryMetricsFactory.instance())
                .addValue(DefaultColumnFormatConfig.class, new DefaultColumnFormatConfig(null, null));
    }

    /** Whether Druid runs code of queries and schemas. */
    public boolean isJavaScriptEnabled() {
        return javaScript.isEnabled();
    }

    /** Mapper of queries, table options and answers. */
    public ObjectMapper json() {
        return json;
    }

    /** Mapper of queries and results between servers. */
    public ObjectMapper smile() {
        return smile;
    }

    /** Functions of Druid's expressions. */
    public ExprMacroTable macros() {
        return macros;
    }

    /** Lookups of the query of the current thread. */
    public LookupScope lookups() {
        return lookups;
    }

    /** Query types for planners, as in Druid's broker. */
    public QueryFactories brokerFactories() {
        return broker;
    }

    /** Query types for actors, as in Druid's data nodes. */
    public QueryFactories dataNodeFactories() {
        return dataNode;
    }

    /** Factory of the right sides of joins. */
    public JoinableFactory joinables() {
        return joinables;
    }

    /** Factory of the right sides of joins that also analyzes join conditions. */
    public JoinableFactoryWrapper joinableWrapper() {
        return joinableWrapper;
    }

    /** Factory of segments of inline and lookup data sources. */
    public SegmentWrangler wrangler() {
        return wrangler;
    }

    /** An emitter that drops everything. */
    public ServiceEmitter emitter() {
        return emitter;
    }

    /** Reader of segment files. */
    public IndexIO indexIo() {
        return indexIo;
    }

    /** Writer and merger of segment files. */
    public IndexMergerV9 merger() {
        return merger;
    }
}
