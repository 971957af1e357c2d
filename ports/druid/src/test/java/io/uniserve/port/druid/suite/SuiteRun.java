package io.uniserve.port.druid.suite;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.junit.platform.engine.FilterResult;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.PostDiscoveryFilter;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** Run of Druid's test classes, or of a share of their tests that a seed draws, by JUnit's launcher inside this JVM. */
final class SuiteRun {
    /** Suites by the name of Druid's class. */
    static final Map<String, Class<?>> SUITES = suites();

    private SuiteRun() {}

    private static Map<String, Class<?>> suites() {
        Map<String, Class<?>> suites = new LinkedHashMap<>();
        for (Class<?> suite : List.of(
                CalciteQuerySuite.class,
                CalciteJoinQuerySuite.class,
                DrillWindowQuerySuite.class,
                GroupByQueryRunnerSuite.class,
                TimeseriesQueryRunnerSuite.class,
                TopNQueryRunnerSuite.class,
                ScanQueryRunnerSuite.class,
                SearchQueryRunnerSuite.class)) {
            suites.put(suite.getSuperclass().getSimpleName(), suite);
        }
        return Collections.unmodifiableMap(suites);
    }

    /**
     * Runs tests.
     *
     * @param share runs one of this many tests; 1 for all
     * @param seed draws the tests
     */
    static TreeSet<SuiteOutcome> run(List<Class<?>> suites, int share, long seed) {
        PostDiscoveryFilter filter = test -> FilterResult.includedIf(isDrawn(test, share, seed));
        LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
                .selectors(suites.stream().map(DiscoverySelectors::selectClass).toList())
                .filters(filter)
                .configurationParameter("junit.jupiter.extensions.autodetection.enabled", "false")
                .build();
        Listener listener = new Listener();
        LauncherFactory.create().execute(request, listener);
        return new TreeSet<>(listener.outcomes);
    }

    /** Tests of one method with several parameters are drawn together. */
    private static boolean isDrawn(TestDescriptor test, int share, long seed) {
        if (!(test.getSource().orElse(null) instanceof MethodSource method)) {
            return true;
        }
        String name = method.getClassName() + "#" + method.getMethodName();
        return Math.floorMod((name + seed).hashCode() * 0x9E3779B9 >>> 7, share) == 0;
    }

    /** Collector of outcomes. A failed class, with a failed set-up, counts as a wrong test of its name. */
    private static final class Listener implements TestExecutionListener {
        private final List<SuiteOutcome> outcomes = Collections.synchronizedList(new ArrayList<>());

        @Override
        public void executionSkipped(TestIdentifier test, String reason) {
            outcomes.add(new SuiteOutcome(suite(test), name(test), SuiteOutcome.Kind.SKIPPED, reason));
        }

        @Override
        public void executionFinished(TestIdentifier test, TestExecutionResult result) {
            if (result.getThrowable().isPresent()) {
                Throwable failure = result.getThrowable().get();
                boolean aborted = result.getStatus() == TestExecutionResult.Status.ABORTED;
                outcomes.add(
                        aborted
                                ? new SuiteOutcome(
                                        suite(test),
                                        name(test),
                                        SuiteOutcome.Kind.SKIPPED,
                                        String.valueOf(failure.getMessage()))
                                : SuiteOutcome.failed(suite(test), name(test), failure));
            } else if (test.isTest()) {
                outcomes.add(new SuiteOutcome(suite(test), name(test), SuiteOutcome.Kind.PASSED, ""));
            }
        }

        private static String suite(TestIdentifier test) {
            String id = test.getUniqueId();
            return SUITES.entrySet().stream()
                    .filter(entry -> id.contains(entry.getValue().getName() + "]"))
                    .map(Map.Entry::getKey)
                    .findFirst()
                    .orElse("JUnit");
        }

        private static String name(TestIdentifier test) {
            if (test.getSource().orElse(null) instanceof MethodSource method) {
                String shown = test.getDisplayName();
                return shown.startsWith(method.getMethodName())
                        ? shown.replaceFirst("\\(\\)$", "")
                        : method.getMethodName() + " " + shown;
            }
            return test.getDisplayName();
        }
    }
}
