package io.uniserve.cli.storage;

import io.uniserve.cli.DurationConverter;
import io.uniserve.cli.command.CliCommand;
import io.uniserve.cli.command.ExitCode;
import io.uniserve.cli.command.TextTable;
import io.uniserve.cli.storage.StorageCostModel.MonthlyRequests;
import io.uniserve.cli.storage.StorageCostModel.Prices;
import io.uniserve.cli.storage.StorageCostModel.Workload;
import io.uniserve.cli.storage.StorageUsage.Amount;
import io.uniserve.cli.storage.StorageUsage.Table;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.runtime.store.DurableStore;
import io.uniserve.runtime.store.DurableStoreFactory;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code uniserve storage cost}. */
@Command(
        name = "cost",
        description = {
            "Estimates what durable storage costs per month. Sizes and numbers of objects are counted from a listing,"
                    + " one LIST request per 1,000 objects; nothing is changed and no cluster need run.",
            "Requests are estimated from --updates-per-second, or scaled from counted ones with --puts, --lists,"
                    + " --gets and --hours.",
            "Default prices: US dollars, S3 Standard in us-east-1, first 50 TB, as of January 2025. Check them: they"
                    + " differ by region and change."
        },
        footer = {
            "  uniserve storage cost s3://backups/search",
            "  uniserve storage cost s3://backups/search --updates-per-second 1000 --servers 4",
            "  uniserve storage cost s3://backups/search --puts 52000 --lists 90 --gets 700 --hours 24",
            "  uniserve storage cost s3://backups/search --price-gb-month 0.0245 --price-put-1000 0.0054"
                    + " --price-get-1000 0.00043"
        })
final class StorageCostCommand extends CliCommand {
    static final double GB_MONTH = 0.023;
    static final double PUT_1000 = 0.005;
    static final double GET_1000 = 0.0004;
    private static final double MIB = 1 << 20;

    @Parameters(
            paramLabel = "LOCATION",
            description = "As in setting storage.location: a directory, or s3://BUCKET/PREFIX.")
    private String location = "";

    @Option(
            names = "--updates-per-second",
            paramLabel = "N",
            description = "Updates of one row each, spread over all actors, to estimate requests from.")
    private @Nullable Double updatesPerSecond;

    @Option(
            names = "--actors",
            paramLabel = "N",
            description = "Actors that get updates (default: those with objects in storage).")
    private @Nullable Integer actors;

    @Option(names = "--servers", paramLabel = "N", description = "Servers of the cluster (default: 1).")
    private int servers = 1;

    @Option(names = "--row-bytes", paramLabel = "N", description = "Bytes of an update in the log (default: 1024).")
    private int rowBytes = 1_024;

    @Option(
            names = "--log-shipping",
            paramLabel = "DURATION",
            converter = DurationConverter.class,
            description = "Setting server.log-shipping (default: 1s).")
    private Duration logShipping = Duration.ofSeconds(1);

    @Option(names = "--remote", description = "Tables have durability REMOTE: at most one PUT per update.")
    private boolean remote;

    @Option(names = "--puts", paramLabel = "N", description = "Counted PUT and POST requests.")
    private long puts;

    @Option(names = "--lists", paramLabel = "N", description = "Counted LIST requests.")
    private long lists;

    @Option(names = "--gets", paramLabel = "N", description = "Counted GET and HEAD requests.")
    private long gets;

    @Option(names = "--hours", paramLabel = "N", description = "Time in which requests were counted.")
    private @Nullable Double hours;

    @Option(names = "--price-gb-month", paramLabel = "USD", description = "Price of a GB per month (default: 0.023).")
    private double gbMonth = GB_MONTH;

    @Option(
            names = "--price-put-1000",
            paramLabel = "USD",
            description = "Price of 1,000 PUT, POST or LIST requests (default: 0.005).")
    private double put1000 = PUT_1000;

    @Option(
            names = "--price-get-1000",
            paramLabel = "USD",
            description = "Price of 1,000 GET and HEAD requests (default: 0.0004).")
    private double get1000 = GET_1000;

    @Override
    public Integer call() {
        checkOptions();
        StorageLocationCheck.checkLocation(location);
        try (DurableStore store = DurableStoreFactory.open(location)) {
            StorageUsage usage = StorageUsage.of(sizes(store));
            Optional<MonthlyRequests> requests = requests(usage);
            Prices prices = new Prices(gbMonth, put1000, get1000);
            if (global().isJson()) {
                json(store, usage, requests, prices);
            } else {
                print(store, usage, requests, prices);
            }
            return ExitCode.OK;
        }
    }

    private void checkOptions() {
        boolean isCounted = isGiven("--puts") || isGiven("--lists") || isGiven("--gets");
        if (isCounted != (hours != null)) {
            throw usageError(
                    isCounted
                            ? "--hours is missing: the time in which --puts, --lists and --gets were counted"
                            : "--hours needs counted requests: --puts, --lists or --gets");
        }
        if (isCounted && updatesPerSecond != null) {
            throw usageError("give counted requests or --updates-per-second, not both");
        }
        if (updatesPerSecond == null
                && (actors != null
                        || remote
                        || isGiven("--servers")
                        || isGiven("--row-bytes")
                        || isGiven("--log-shipping"))) {
            throw usageError("--actors, --servers, --row-bytes, --log-shipping and --remote need --updates-per-second");
        }
        checkDecimal("--updates-per-second", updatesPerSecond == null ? 0 : updatesPerSecond, 0, 1e9);
        checkRange("--actors", actors == null ? 1 : actors, 1, 1_000_000);
        checkRange("--servers", servers, 1, 10_000);
        checkRange("--row-bytes", rowBytes, 1, 16 << 20);
        checkRange("--puts", puts, 0, 1_000_000_000_000L);
        checkRange("--lists", lists, 0, 1_000_000_000_000L);
        checkRange("--gets", gets, 0, 1_000_000_000_000L);
        checkDecimal("--hours", hours == null ? 1 : hours, 0.01, 100_000);
        checkDecimal("--price-gb-month", gbMonth, 0, 1_000);
        checkDecimal("--price-put-1000", put1000, 0, 1_000);
        checkDecimal("--price-get-1000", get1000, 0, 1_000);
        if (logShipping.toMillis() < 100) {
            throw usageError("--log-shipping is " + logShipping.toMillis() + "ms: use 100ms to 1h");
        }
    }

    private void checkDecimal(String option, double value, double min, double max) {
        if (!(value >= min && value <= max)) {
            throw usageError(option + " is " + value + ": use " + min + " to " + max);
        }
    }

    private static Map<String, Long> sizes(DurableStore store) {
        try {
            return store.sizes("");
        } catch (IOException e) {
            throw new UniserveException(ErrorCode.IO, "cannot list " + store.describe() + ": " + e.getMessage(), e);
        }
    }

    private Optional<MonthlyRequests> requests(StorageUsage usage) {
        if (hours != null) {
            return Optional.of(StorageCostModel.counted(puts, lists, gets, hours));
        }
        if (updatesPerSecond == null) {
            return Optional.empty();
        }
        int updated = actors == null ? usage.actors() : actors;
        if (updated == 0) {
            throw usageError("--actors is missing: storage has no actor from which it would follow");
        }
        return Optional.of(StorageCostModel.estimate(new Workload(
                updatesPerSecond,
                updated,
                servers,
                rowBytes,
                logShipping.toMillis() / 1e3,
                remote,
                usage.checkpointBytesPerActor())));
    }

    private void json(DurableStore store, StorageUsage usage, Optional<MonthlyRequests> requests, Prices prices) {
        double storage = storagePrice(usage, prices);
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("location", store.describe());
        object.put("tables", usage.tables());
        object.put("other", usage.rest());
        object.put("total", usage.all());
        object.put("prices", prices);
        object.put("storageUsdPerMonth", storage);
        requests.ifPresent(month -> {
            object.put("requestsFrom", requestsFrom());
            object.put("requestsPerMonth", month);
            object.put("requestsUsdPerMonth", month.price(prices));
            object.put("usdPerMonth", storage + month.price(prices));
        });
        console().json(object);
    }

    private static double storagePrice(StorageUsage usage, Prices prices) {
        return StorageCostModel.gigabytes(usage.all().bytes()) * prices.gbMonth();
    }

    private String requestsFrom() {
        return hours == null ? "estimated" : "counted in " + decimal(hours, 2) + " h, scaled";
    }

    private void print(DurableStore store, StorageUsage usage, Optional<MonthlyRequests> requests, Prices prices) {
        TextTable tables = new TextTable(
                "CLUSTER", "TABLE", "ACTORS", "LOG RUNS", "LOG MIB", "CHECKPOINT OBJECTS", "CHECKPOINT MIB", "PINS");
        for (Table table : usage.tables()) {
            tables.row(
                    table.cluster(),
                    table.id(),
                    table.actors(),
                    table.log().objects(),
                    mebibytes(table.log()),
                    table.checkpoint().objects(),
                    mebibytes(table.checkpoint()),
                    table.pins().objects());
        }
        tables.print(console());
        console()
                .println(String.format(
                        Locale.ROOT,
                        "%s: %d objects, %s MiB, of these %d of no actor",
                        store.describe(),
                        usage.all().objects(),
                        mebibytes(usage.all()),
                        usage.rest().objects()));
        console().println("");
        printCost(usage, requests, prices);
    }

    private void printCost(StorageUsage usage, Optional<MonthlyRequests> requests, Prices prices) {
        double storage = storagePrice(usage, prices);
        TextTable cost = new TextTable("ITEM", "PER MONTH", "PRICE", "USD PER MONTH", "AMOUNT IS");
        double gigabytes = StorageCostModel.gigabytes(usage.all().bytes());
        cost.row("storage", decimal(gigabytes, 3) + " GB", perUnit(prices.gbMonth()), usd(storage), "counted now");
        requests.ifPresent(month -> {
            row(cost, hours == null ? "PUT, log" : "PUT", month.logPuts(), prices.put1000());
            if (hours == null) {
                row(cost, "PUT, checkpoints", month.checkpointPuts(), prices.put1000());
            }
            row(cost, "LIST", month.lists(), prices.put1000());
            row(cost, "GET", month.gets(), prices.get1000());
        });
        double sum = storage + requests.map(month -> month.price(prices)).orElse(0.0);
        cost.row("sum", "-", "-", usd(sum), requests.isPresent() ? "" : "without requests");
        cost.print(console());
        console()
                .println("Prices per GB-month and 1,000 requests. Defaults: S3 Standard, us-east-1, January 2025; check"
                        + " them. Deletions are free.");
        if (requests.isEmpty()) {
            console().println("Requests: give --updates-per-second, or counted ones with --puts and --hours.");
        } else {
            console()
                    .println("Not included: restorations, new replicas, transfer out of the region, versions of deleted"
                            + " objects, incomplete uploads.");
        }
    }

    private void row(TextTable cost, String item, double count, double price1000) {
        cost.row(item, decimal(count, 0), perUnit(price1000), usd(count * price1000 / 1_000), requestsFrom());
    }

    private static String mebibytes(Amount amount) {
        return decimal(amount.bytes() / MIB, 2);
    }

    private static String perUnit(double price) {
        return decimal(price, 5);
    }

    private static String usd(double amount) {
        return decimal(amount, 2);
    }

    private static String decimal(double value, int digits) {
        return String.format(Locale.ROOT, "%,." + digits + "f", value);
    }
}
