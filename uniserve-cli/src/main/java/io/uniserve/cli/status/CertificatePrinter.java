package io.uniserve.cli.status;

import io.uniserve.cli.ServerNames;
import io.uniserve.cli.command.Console;
import io.uniserve.cli.command.TextTable;
import io.uniserve.client.ProcessCertificate;
import io.uniserve.model.ServerId;
import io.uniserve.model.access.CertificateStatus;
import io.uniserve.model.access.CertificateStatus.Authority;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** Printer of the certificates of processes, and of the step at which a change of the authority is. */
public final class CertificatePrinter {
    private static final int SHORT_CHARS = "sha256:".length() + 12;

    private final Console console;
    private final long nowMillis;

    /** Creates a printer that shows how long certificates are valid from this time on. */
    public CertificatePrinter(Console console, long nowMillis) {
        this.console = console;
        this.nowMillis = nowMillis;
    }

    /** Prints a table of processes and the step; nothing if no process has a certificate. */
    public void print(List<ProcessCertificate> processes) {
        if (processes.stream()
                .flatMap(process -> process.status().stream())
                .allMatch(status -> status.endMillis() == 0)) {
            return;
        }
        console.println("");
        TextTable table = new TextTable("CERTIFICATE OF", "IDENTITY", "DAYS LEFT", "AUTHORITY", "TRUSTED", "FAILURES");
        for (ProcessCertificate process : processes) {
            String name = shortName(process);
            if (process.status().isEmpty()) {
                table.row(name, "unknown", "-", "-", "-", "-");
                continue;
            }
            CertificateStatus status = process.status().get();
            table.row(
                    name,
                    status.identity().isEmpty() ? "-" : status.identity(),
                    Long.toString(daysLeft(status)),
                    shortened(status.authority()),
                    status.trusted().stream()
                            .map(one -> shortened(one.fingerprint()))
                            .collect(Collectors.joining(" ")),
                    Long.toString(status.failures()));
        }
        table.print(console);
        console.println(step(processes));
        processes.forEach(process -> process.error()
                .ifPresent(error ->
                        console.println("certificate of " + shortName(process) + " is unknown: " + error.reason())));
    }

    private static String shortName(ProcessCertificate process) {
        return process.process().equals("coordinator")
                ? "coordinator"
                : ServerNames.shortName(new ServerId(process.process()));
    }

    private long daysLeft(CertificateStatus status) {
        return Math.floorDiv(status.endMillis() - nowMillis, TimeUnit.DAYS.toMillis(1));
    }

    private static String shortened(String fingerprint) {
        return fingerprint.isEmpty() ? "none" : fingerprint.substring(0, Math.min(SHORT_CHARS, fingerprint.length()));
    }

    /** The certificates as JSON: one object per process. */
    public static List<Map<String, Object>> json(List<ProcessCertificate> processes) {
        List<Map<String, Object>> all = new ArrayList<>();
        for (ProcessCertificate process : processes) {
            Map<String, Object> object = new LinkedHashMap<>();
            object.put("process", process.process());
            object.put("address", process.address().toString());
            process.status().ifPresent(status -> {
                object.put("identity", status.identity());
                object.put("endMillis", status.endMillis());
                object.put("authority", status.authority());
                object.put(
                        "trusted",
                        status.trusted().stream().map(Authority::fingerprint).toList());
                object.put("reloads", status.reloads());
                object.put("failures", status.failures());
            });
            process.error().ifPresent(error -> object.put("error", error.reason()));
            all.add(object);
        }
        return all;
    }

    /**
     * The step of a change of the authority: all processes trust both, then all have certificates of the new one, then they trust only that.
     * The new one is the trusted one whose validity begins last. A process that does not answer has made no step.
     */
    public static String step(List<ProcessCertificate> processes) {
        List<CertificateStatus> known = processes.stream()
                .map(ProcessCertificate::status)
                .flatMap(Optional::stream)
                .toList();
        Map<String, Long> authorities = new TreeMap<>();
        known.forEach(status -> status.trusted().forEach(one -> authorities.put(one.fingerprint(), one.beginMillis())));
        if (authorities.isEmpty()) {
            return "authority: none";
        }
        String newest = authorities.entrySet().stream()
                .max(Map.Entry.<String, Long>comparingByValue().thenComparing(Map.Entry.comparingByKey()))
                .orElseThrow()
                .getKey();
        if (authorities.size() == 1 && known.size() == processes.size()) {
            return "authority: " + shortened(newest) + ", the only one";
        }
        long trustBoth = known.stream()
                .filter(status -> status.trusted().size() == authorities.size())
                .count();
        long newLeaves = known.stream()
                .filter(status -> status.authority().equals(newest))
                .count();
        long trustNew = known.stream()
                .filter(status -> status.trusted().size() == 1
                        && status.trusted().get(0).fingerprint().equals(newest))
                .count();
        if (authorities.size() == 1) {
            return "authority: " + shortened(newest) + ", of " + known.size() + " of " + processes.size()
                    + " processes; the others are unknown";
        }
        String change = "authority changes to " + shortened(newest) + ": ";
        if (newLeaves == processes.size()) {
            return change + "step 3 of 3, " + trustNew + " of " + processes.size()
                    + " processes trust only the new one";
        }
        if (trustBoth == processes.size()) {
            return change + "step 2 of 3, " + newLeaves + " of " + processes.size()
                    + " have a certificate of the new one";
        }
        return change + "step 1 of 3, " + trustBoth + " of " + processes.size() + " processes trust all "
                + authorities.size();
    }
}
