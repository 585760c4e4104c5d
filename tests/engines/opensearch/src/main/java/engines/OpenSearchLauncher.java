package engines;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.core.config.Configurator;
import org.opensearch.common.settings.Settings;
import org.opensearch.env.Environment;
import org.opensearch.node.InternalSettingsPreparer;
import org.opensearch.node.Node;
import org.opensearch.plugins.Plugin;

/**
 * One OpenSearch node in this JVM, with its plugins taken from the class path. It stops when its standard input ends, so that it does not
 * outlive the process that started it. Arguments: HTTP_PORT DATA_DIR
 */
public final class OpenSearchLauncher {

    private static final String[] PLUGINS = {
        "org.opensearch.transport.Netty4Plugin",
        "org.opensearch.analysis.common.CommonAnalysisPlugin",
        "org.opensearch.painless.PainlessPlugin",
        "org.opensearch.index.mapper.MapperExtrasPlugin",
        "org.opensearch.join.ParentJoinPlugin",
        "org.opensearch.index.reindex.ReindexPlugin",
        "org.opensearch.knn.plugin.KNNPlugin",
    };

    private static final class ClasspathNode extends Node {
        ClasspathNode(Environment env, List<Class<? extends Plugin>> plugins) {
            super(env, plugins, true);
        }
    }

    public static void main(String[] args) throws Exception {
        String http = args[0];
        Path data = Path.of(args[1]).toAbsolutePath();
        for (String folder : new String[] {"config", "data", "modules", "plugins"}) {
            Files.createDirectories(data.resolve(folder));
        }
        Configurator.setRootLevel(Level.WARN);

        Settings settings = Settings.builder()
            .put("path.home", data.toString())
            .put("path.data", data.resolve("data").toString())
            .put("cluster.name", "postil-opensearch")
            .put("node.name", "node-1")
            .put("network.host", "127.0.0.1")
            .put("http.port", http)
            // Nobody else connects to it: any free port.
            .put("transport.port", "0")
            .put("http.type", "netty4")
            .put("transport.type", "netty4")
            .put("discovery.type", "single-node")
            // The machine's disk may be nearly full, and a run of the tests makes more indexes than a node may have by default.
            .put("cluster.routing.allocation.disk.threshold_enabled", false)
            .put("cluster.max_shards_per_node", 100_000)
            .build();

        List<Class<? extends Plugin>> plugins = new ArrayList<>();
        for (String name : PLUGINS) {
            plugins.add(Class.forName(name).asSubclass(Plugin.class));
        }
        Environment env = InternalSettingsPreparer.prepareEnvironment(
            settings, Collections.emptyMap(), data.resolve("config"), () -> "node-1");
        Node node = new ClasspathNode(env, plugins);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            try {
                node.close();
            } catch (Exception error) {
                error.printStackTrace();
            }
        }));
        node.start();
        while (System.in.read() >= 0) {
            // Nothing is written to it.
        }
        System.exit(0);
    }
}
