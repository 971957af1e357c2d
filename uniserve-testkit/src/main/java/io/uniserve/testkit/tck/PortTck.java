package io.uniserve.testkit.tck;

import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Test suite of the contract of a port. A port's test class extends it and passes its fixture. The engine is opened once. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
public abstract class PortTck
        implements InfoCases,
                ClosedEngineCases,
                UpdateCases,
                AtomicCases,
                DigestCases,
                SerializeCases,
                DamageCases,
                OperatorCases,
                PlannerCases,
                ConcurrencyCases,
                EngineCases,
                LifecycleCases {
    private final PortFixture fixture;
    private Optional<TckHarness> bench = Optional.empty();

    protected PortTck(PortFixture fixture) {
        this.fixture = fixture;
    }

    @BeforeAll
    void open(@TempDir Path directory) {
        bench = Optional.of(new TckHarness(fixture, directory));
    }

    @AfterAll
    void close() {
        bench.ifPresent(TckHarness::close);
    }

    @Override
    public TckHarness bench() {
        return bench.orElseThrow();
    }
}
