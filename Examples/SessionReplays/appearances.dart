// Writes when which image is on the screen, in an app of Flutter, for `scripts/convert-replay`.
//   ImageAppearance.write = (event) => log.writeln(jsonEncode(event));
//   ImageAppearance(imageKey: url, child: Image.network(url))
// `write` stores each event as a line of JSON; the lines are a recording. Keys are addresses, or hashes of them.
// `facts`: variant (full, thumbnail), bytes, type, and in pixels width and height, viewWidth and viewHeight.
import 'package:flutter/widgets.dart';

class ImageAppearance extends StatefulWidget {
  const ImageAppearance({super.key, required this.imageKey, this.facts = const {}, required this.child});
  static void Function(Map<String, Object?> event)? write;
  final String imageKey;
  final Map<String, Object?> facts; final Widget child;
  @override State<ImageAppearance> createState() => _ImageAppearanceState();
}

class _ImageAppearanceState extends State<ImageAppearance> {
  static final Set<_ImageAppearanceState> _all = {};
  static bool _isWatching = false;
  (String, Object?)? _shown; // the key and the variant of the image that is visible
  static void _look(Duration _) {
    for (final state in _all.toList()) state._set(state._isVisible ? state.widget : null);
    WidgetsBinding.instance.addPostFrameCallback(_look); // after the next frame: one is drawn when something moves
  }
  @override
  void initState() {
    super.initState();
    if (!_isWatching) WidgetsBinding.instance.addPostFrameCallback(_look);
    _isWatching = _all.add(this);
  }
  @override
  void dispose() {
    _all.remove(this);
    _set(null);
    super.dispose();
  }
  bool get _isVisible { // whether a part of the widget is within the window and all that clips it
    final box = context.findRenderObject();
    if (box is! RenderBox || !box.attached || !box.hasSize || !TickerMode.of(context)) return false;
    final window = Offset.zero & View.of(context).physicalSize / View.of(context).devicePixelRatio;
    var part = MatrixUtils.transformRect(box.getTransformTo(null), Offset.zero & box.size).intersect(window);
    RenderObject child = box;
    for (var node = box.parent; node != null; child = node, node = node.parent) {
      final clip = node.describeApproximatePaintClip(child);
      if (clip != null) part = part.intersect(MatrixUtils.transformRect(node.getTransformTo(null), clip));
    }
    return part.width > 0 && part.height > 0;
  }
  void _set(ImageAppearance? image) {
    if (image?.imageKey == _shown?.$1) return;
    if (_shown case (final key, final variant)) _event('disappear', key, {if (variant != null) 'variant': variant});
    if (image != null) _event('appear', image.imageKey, image.facts);
    _shown = image == null ? null : (image.imageKey, image.facts['variant']);
  }
  void _event(String e, String key, Map<String, Object?> facts) {
    final time = DateTime.now().microsecondsSinceEpoch / 1000;
    final data = {'tag': 'cachereplay', 'payload': {'v': 1, 'e': e, 'key': key, 't': time, ...facts}};
    ImageAppearance.write?.call({'type': 5, 'timestamp': time, 'data': data});
  }
  @override Widget build(BuildContext context) => widget.child;
}
